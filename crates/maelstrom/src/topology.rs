//! Who is whose neighbour, for the workload `broadcast`.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use shakedown_cluster::NodeId;

/// A shape of the network that nodes are advised to use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Topology {
    Line,
    Grid,
    /// Each node has this many children.
    Tree(usize),
    Total,
}

impl FromStr for Topology {
    type Err = String;

    fn from_str(text: &str) -> Result<Topology, String> {
        Ok(match text {
            "line" => Topology::Line,
            "grid" => Topology::Grid,
            "tree" | "tree2" => Topology::Tree(2),
            "tree3" => Topology::Tree(3),
            "tree4" => Topology::Tree(4),
            "total" => Topology::Total,
            _ => return Err("it is line, grid, tree, tree2, tree3, tree4 or total".to_owned()),
        })
    }
}

impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Topology::Line => f.write_str("line"),
            Topology::Grid => f.write_str("grid"),
            Topology::Tree(children) => write!(f, "tree{children}"),
            Topology::Total => f.write_str("total"),
        }
    }
}

impl Topology {
    /// The neighbours of each node.
    pub fn neighbours(self, nodes: usize) -> BTreeMap<String, Vec<String>> {
        let all = || NodeId::first(nodes);
        let neighbours = |a: NodeId| {
            all()
                .filter(move |&b| a != b && self.connects(a.index(), b.index(), nodes))
                .map(|b| b.to_string())
        };
        all().map(|node| (node.to_string(), neighbours(node).collect())).collect()
    }

    fn connects(self, a: usize, b: usize, nodes: usize) -> bool {
        let (a, b) = (a.min(b), a.max(b));
        match self {
            Topology::Line => b - a == 1,
            Topology::Grid => {
                let side = (1..=nodes).find(|side| side * side >= nodes).unwrap_or(1);
                b - a == side || (b - a == 1 && a / side == b / side)
            }
            Topology::Tree(children) => (b - 1) / children == a,
            Topology::Total => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(topology: &str, nodes: usize) -> String {
        let topology: Topology = topology.parse().expect("it is a topology");
        let rows = topology.neighbours(nodes);
        rows.iter().map(|(node, all)| format!("{node}: {}", all.join(" "))).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn each_topology_has_its_neighbours() {
        assert_eq!(shown("line", 3), "n1: n2; n2: n1 n3; n3: n2");
        assert_eq!(shown("grid", 4), "n1: n2 n3; n2: n1 n4; n3: n1 n4; n4: n2 n3");
        assert_eq!(shown("tree", 4), "n1: n2 n3; n2: n1 n4; n3: n1; n4: n2");
        assert_eq!(shown("total", 3), "n1: n2 n3; n2: n1 n3; n3: n1 n2");
        assert!("ring".parse::<Topology>().is_err());
    }
}
