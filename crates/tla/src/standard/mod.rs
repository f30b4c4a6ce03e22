//! The standard and community modules.
//!
//! What is hot or cannot be said in TLA+ is native (`compile::builtin`); the rest is said in TLA+, in the
//! texts beside this file, which were written for this crate from the meaning of the operators. They have the
//! names, and extend the modules, that the community's modules do as of their commit a8068a4 (31 July 2026);
//! `tests/operators.txt` holds the value that TLC gives each operator.

/// A module without anything: its operators, if any, are native.
pub(crate) const EMPTY: &str = "---- MODULE Empty ----\n====\n";

/// Modules that are not looked for elsewhere, because their operators are native; but see [`may_be_brought`].
pub(crate) fn is_core(name: &str) -> bool {
    matches!(
        name,
        "Naturals"
            | "Integers"
            | "Reals"
            | "Sequences"
            | "FiniteSets"
            | "Bags"
            | "TLC"
            | "TLCExt"
            | "Randomization"
            | "Json"
            | "IOUtils"
            | "TLAPS"
            | "Toolbox"
    )
}

/// Native modules that a specification may bring itself, as it may for TLC: what a text of this name defines
/// is native still where it has the name and the number of arguments of a native operator. (The texts of the
/// modules of numbers are about numbers that are not evaluated, and other modules have operators of ours.)
pub(crate) fn may_be_brought(name: &str) -> bool {
    matches!(name, "TLC" | "Sequences" | "FiniteSets")
}

/// Modules of the language's own library, which are the same for everybody. (The community's come in many
/// versions.)
pub(crate) fn is_standard(name: &str) -> bool {
    matches!(
        name,
        "Naturals"
            | "Integers"
            | "Reals"
            | "Sequences"
            | "FiniteSets"
            | "Bags"
            | "TLC"
            | "Randomization"
            | "RealTime"
    )
}

/// The text of a module, if it is one of ours.
pub(crate) fn text(name: &str) -> Option<&'static str> {
    Some(match name {
        "Naturals" | "Sequences" | "FiniteSets" | "TLC" | "Json" => EMPTY,
        "CSV" | "Bitwise" | "GraphViz" | "DifferentialEquations" => EMPTY,
        "Randomization" => include_str!("Randomization.tla"),
        "Toolbox" => include_str!("Toolbox.tla"),
        "_Possible" => include_str!("_Possible.tla"),
        "RealTime" => include_str!("RealTime.tla"),
        "Combinatorics" => include_str!("Combinatorics.tla"),
        "DyadicRationals" => include_str!("DyadicRationals.tla"),
        "HTML" => include_str!("HTML.tla"),
        "Quorum" => include_str!("Quorum.tla"),
        "ShiViz" => include_str!("ShiViz.tla"),
        "SVG" => include_str!("SVG.tla"),
        "Statistics" => "---- MODULE Statistics ----\nEXTENDS Naturals\n====\n",
        "Integers" => "---- MODULE Integers ----\nEXTENDS Naturals\n====\n",
        "Reals" => "---- MODULE Reals ----\nEXTENDS Integers\n====\n",
        "Bags" => include_str!("Bags.tla"),
        "TLCExt" => include_str!("TLCExt.tla"),
        "TLAPS" => include_str!("TLAPS.tla"),
        "IOUtils" => include_str!("IOUtils.tla"),
        "FiniteSetsExt" => include_str!("FiniteSetsExt.tla"),
        "SequencesExt" => include_str!("SequencesExt.tla"),
        "Functions" => include_str!("Functions.tla"),
        "Folds" => EMPTY,
        "BagsExt" => include_str!("BagsExt.tla"),
        "Relation" => include_str!("Relation.tla"),
        "Graphs" => include_str!("Graphs.tla"),
        "UndirectedGraphs" => include_str!("UndirectedGraphs.tla"),
        "VectorClocks" => include_str!("VectorClocks.tla"),
        "FiniteSetTheorems" => {
            "---- MODULE FiniteSetTheorems ----\nEXTENDS FiniteSets, Integers, Functions\n====\n"
        }
        "NaturalsInduction" | "WellFoundedInduction" => include_str!("NaturalsInduction.tla"),
        "SequenceTheorems" => "---- MODULE SequenceTheorems ----\nEXTENDS Sequences, Integers\n====\n",
        "FunctionTheorems" => {
            "---- MODULE FunctionTheorems ----\nEXTENDS Functions, Integers, FiniteSets\n====\n"
        }
        _ => return None,
    })
}
