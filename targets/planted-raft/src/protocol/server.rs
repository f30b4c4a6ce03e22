//! Servers and sets of them.

use serde::{Deserialize, Serialize};

/// The most servers that there may be: a set of them is a word.
const SERVERS_MAX: u8 = 64;

/// A server, numbered from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Server(u8);

impl Server {
    /// The server at this place of an array, counted from 0.
    ///
    /// # Panics
    /// If there is no such server.
    pub fn from_index(index: usize) -> Server {
        assert!(index < SERVERS_MAX as usize, "servers are numbered from 1 to {SERVERS_MAX}");
        Server(index as u8 + 1)
    }

    /// Its place in an array, counted from 0.
    pub fn index(self) -> usize {
        self.0 as usize - 1
    }

    /// Its number, counted from 1.
    pub fn number(self) -> usize {
        self.0 as usize
    }
}

impl TryFrom<u8> for Server {
    type Error = String;

    fn try_from(number: u8) -> Result<Server, String> {
        if (1..=SERVERS_MAX).contains(&number) {
            Ok(Server(number))
        } else {
            Err(format!("there is no server {number}: they are numbered from 1 to {SERVERS_MAX}"))
        }
    }
}

impl From<Server> for u8 {
    fn from(server: Server) -> u8 {
        server.0
    }
}

/// A set of servers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<Server>", into = "Vec<Server>")]
pub struct Servers(u64);

impl Servers {
    /// The first `count` servers.
    pub fn first(count: usize) -> Servers {
        (0..count).map(Server::from_index).collect()
    }

    /// The set as bits, server 1 the lowest.
    pub fn bits(self) -> u64 {
        self.0
    }

    /// Whether the server is in the set.
    pub fn contains(self, server: Server) -> bool {
        self.0 >> server.index() & 1 == 1
    }

    /// The set with one more server.
    #[must_use]
    pub fn with(self, server: Server) -> Servers {
        Servers(self.0 | 1 << server.index())
    }

    /// The set with one server fewer.
    #[must_use]
    pub fn without(self, server: Server) -> Servers {
        Servers(self.0 & !(1 << server.index()))
    }

    /// The servers that are in both sets.
    #[must_use]
    pub fn and(self, other: Servers) -> Servers {
        Servers(self.0 & other.0)
    }

    /// How many servers there are in the set.
    pub fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The servers, in order.
    pub fn iter(self) -> impl Iterator<Item = Server> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let index = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (index < SERVERS_MAX as usize).then(|| Server::from_index(index))
        })
    }
}

impl FromIterator<Server> for Servers {
    fn from_iter<I: IntoIterator<Item = Server>>(servers: I) -> Servers {
        servers.into_iter().fold(Servers::default(), Servers::with)
    }
}

impl From<Vec<Server>> for Servers {
    fn from(servers: Vec<Server>) -> Servers {
        servers.into_iter().collect()
    }
}

impl From<Servers> for Vec<Server> {
    fn from(servers: Servers) -> Vec<Server> {
        servers.iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_the_servers_that_were_put_in() {
        let [first, third, last] = [0, 2, 63].map(Server::from_index);
        let set: Servers = [third, last, first].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [first, third, last]);
        assert_eq!((set.count(), set.without(third).count(), set.contains(third)), (3, 2, true));
        assert_eq!(Servers::first(3).and(set).iter().collect::<Vec<_>>(), [first, third]);
        assert_eq!(Servers::default().iter().count(), 0);
    }

    #[test]
    fn a_number_that_is_no_server_is_refused() {
        assert!(serde_json::from_str::<Servers>("[1,64]").is_ok());
        for text in ["[0]", "[65]", "[300]"] {
            assert!(serde_json::from_str::<Servers>(text).is_err(), "{text}");
        }
    }
}
