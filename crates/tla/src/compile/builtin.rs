//! The operators of standard modules that are evaluated natively.

/// A native operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    // Sets that are names.
    Nat,
    Int,
    Real,
    Strings,
    Infinity,
    // Naturals, Integers.
    Plus,
    Minus,
    Times,
    Divide,
    RealDivide,
    Modulo,
    Power,
    Negative,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    DotDot,
    // Sequences.
    Seq,
    Len,
    Append,
    Head,
    Tail,
    SubSeq,
    SelectSeq,
    Concat,
    // FiniteSets.
    Cardinality,
    IsFiniteSet,
    // TLC.
    Print,
    PrintT,
    Assert,
    MapTo,
    Compose,
    Permutations,
    SortSeq,
    TlcGet,
    TlcSet,
    TlcEval,
    RandomElement,
    ToString,
    JavaTime,
    Any,
    // TLCExt.
    AssertError,
    AssertEq,
    TraceExpr,
    TeTrace,
    CounterExample,
    TlcModelValue,
    TlcGetOrDefault,
    TlcFp,
    TlcEvalDefinition,
    // Randomization.
    RandomSubset,
    RandomSetOfSubsets,
    // Bags.
    BagIn,
    BagCup,
    BagMinus,
    BagCardinality,
    EmptyBag,
    SetToBag,
    SubBag,
    BagUnion,
    IsABag,
    // Folds, FiniteSetsExt, SequencesExt, Functions.
    FoldSet,
    FoldLeft,
    FoldRight,
    FoldFunction,
    FoldFunctionOnSet,
    MapThenFoldSet,
    SumSet,
    ProductSet,
    Max,
    Min,
    Ksubset,
    SetToSeq,
    SetToSeqs,
    SetToSortSeq,
    ToSet,
    Reverse,
    Range,
    BitAnd,
    BitOr,
    BitXor,
    BitNot,
    ShiftRight,
    ReplaceFirstSubSeq,
    ReplaceAllSubSeqs,
    // Json, IOUtils.
    ToJson,
    ToJsonArray,
    ToJsonObject,
    JsonDeserialize,
    NdJsonDeserialize,
    JsonSerialize,
    NdJsonSerialize,
    IoEnv,
    Atoi,
    IoSerialize,
    IoDeserialize,
    Serialize,
    Deserialize,
    IoExec,
    IoEnvExec,
    IoExecTemplate,
    IoEnvExecTemplate,
    // CSV, Statistics, GraphViz, SVG, DifferentialEquations.
    CsvRead,
    CsvRecords,
    CsvWrite,
    CsvWriteRecord,
    ChiSquare,
    Binomial,
    DotDiGraph,
    SvgElemToString,
    SvgRingNode,
    SvgGraphNodes,
    SvgSerialize,
    Integrate,
    // Transitive closure and the like, of Relation.
    TransitiveClosure,
}

use Builtin as B;

/// An operator's module, name and number of arguments; of those, the ones that are operators themselves
/// (position, arity).
type Row = (&'static str, &'static str, usize, &'static [(usize, usize)], Builtin);

/// Every native operator by module.
const TABLE: &[Row] = &[
    ("Naturals", "Nat", 0, &[], B::Nat),
    ("Naturals", "+", 2, &[], B::Plus),
    ("Naturals", "-", 2, &[], B::Minus),
    ("Naturals", "*", 2, &[], B::Times),
    ("Naturals", "^", 2, &[], B::Power),
    ("Naturals", "<", 2, &[], B::Less),
    ("Naturals", ">", 2, &[], B::Greater),
    ("Naturals", "<=", 2, &[], B::LessEqual),
    ("Naturals", ">=", 2, &[], B::GreaterEqual),
    ("Naturals", "%", 2, &[], B::Modulo),
    ("Naturals", "\\div", 2, &[], B::Divide),
    ("Naturals", "..", 2, &[], B::DotDot),
    ("Integers", "Int", 0, &[], B::Int),
    ("Integers", "-.", 1, &[], B::Negative),
    ("Reals", "Real", 0, &[], B::Real),
    ("Reals", "/", 2, &[], B::RealDivide),
    ("Reals", "Infinity", 0, &[], B::Infinity),
    ("Sequences", "Seq", 1, &[], B::Seq),
    ("Sequences", "Len", 1, &[], B::Len),
    ("Sequences", "Append", 2, &[], B::Append),
    ("Sequences", "Head", 1, &[], B::Head),
    ("Sequences", "Tail", 1, &[], B::Tail),
    ("Sequences", "SubSeq", 3, &[], B::SubSeq),
    ("Sequences", "SelectSeq", 2, &[(1, 1)], B::SelectSeq),
    ("Sequences", "\\o", 2, &[], B::Concat),
    ("FiniteSets", "Cardinality", 1, &[], B::Cardinality),
    ("FiniteSets", "IsFiniteSet", 1, &[], B::IsFiniteSet),
    ("TLC", "Print", 2, &[], B::Print),
    ("TLC", "PrintT", 1, &[], B::PrintT),
    ("TLC", "Assert", 2, &[], B::Assert),
    ("TLC", ":>", 2, &[], B::MapTo),
    ("TLC", "@@", 2, &[], B::Compose),
    ("TLC", "Permutations", 1, &[], B::Permutations),
    ("TLC", "SortSeq", 2, &[(1, 2)], B::SortSeq),
    ("TLC", "TLCGet", 1, &[], B::TlcGet),
    ("TLC", "TLCSet", 2, &[], B::TlcSet),
    ("TLC", "TLCEval", 1, &[], B::TlcEval),
    ("TLC", "RandomElement", 1, &[], B::RandomElement),
    ("TLC", "ToString", 1, &[], B::ToString),
    ("TLC", "JavaTime", 0, &[], B::JavaTime),
    ("TLC", "Any", 0, &[], B::Any),
    ("TLCExt", "AssertError", 2, &[], B::AssertError),
    ("TLCExt", "AssertEq", 2, &[], B::AssertEq),
    ("TLCExt", "Trace", 0, &[], B::TraceExpr),
    ("TLCExt", "CounterExample", 0, &[], B::CounterExample),
    ("TLCExt", "TLCModelValue", 1, &[], B::TlcModelValue),
    ("TLCExt", "TLCGetOrDefault", 2, &[], B::TlcGetOrDefault),
    ("TLCExt", "TLCFP", 1, &[], B::TlcFp),
    ("TLCExt", "TLCEvalDefinition", 1, &[], B::TlcEvalDefinition),
    ("Toolbox", "_TETrace", 0, &[], B::TeTrace),
    ("TLCExt", "TLCDefer", 1, &[], B::TlcEval),
    ("Randomization", "RandomSubset", 2, &[], B::RandomSubset),
    ("Randomization", "RandomSetOfSubsets", 3, &[], B::RandomSetOfSubsets),
    ("Randomization", "RandomSubsetSet", 3, &[], B::RandomSetOfSubsets),
    ("Bags", "BagIn", 2, &[], B::BagIn),
    ("Bags", "\\oplus", 2, &[], B::BagCup),
    ("Bags", "\\ominus", 2, &[], B::BagMinus),
    ("Bags", "BagCardinality", 1, &[], B::BagCardinality),
    ("Bags", "EmptyBag", 0, &[], B::EmptyBag),
    ("Bags", "SetToBag", 1, &[], B::SetToBag),
    ("Bags", "BagUnion", 1, &[], B::BagUnion),
    ("Bags", "SubBag", 1, &[], B::SubBag),
    ("Bags", "IsABag", 1, &[], B::IsABag),
    ("FiniteSetsExt", "FoldSet", 3, &[(0, 2)], B::FoldSet),
    ("FiniteSetsExt", "SumSet", 1, &[], B::SumSet),
    ("FiniteSetsExt", "ProductSet", 1, &[], B::ProductSet),
    // What these two were called before 2025.
    ("FiniteSetsExt", "Sum", 1, &[], B::SumSet),
    ("FiniteSetsExt", "Product", 1, &[], B::ProductSet),
    ("FiniteSetsExt", "Max", 1, &[], B::Max),
    ("FiniteSetsExt", "Min", 1, &[], B::Min),
    ("FiniteSetsExt", "kSubset", 2, &[], B::Ksubset),
    ("Folds", "MapThenFoldSet", 5, &[(0, 2), (2, 1), (3, 1)], B::MapThenFoldSet),
    ("Functions", "FoldFunction", 3, &[(0, 2)], B::FoldFunction),
    ("Functions", "FoldFunctionOnSet", 4, &[(0, 2)], B::FoldFunctionOnSet),
    ("Functions", "Range", 1, &[], B::Range),
    ("SequencesExt", "FoldSeq", 3, &[(0, 2)], B::FoldFunction),
    ("SequencesExt", "FoldLeft", 3, &[(0, 2)], B::FoldLeft),
    ("SequencesExt", "FoldRight", 3, &[(0, 2)], B::FoldRight),
    ("SequencesExt", "ToSet", 1, &[], B::ToSet),
    ("SequencesExt", "SetToSeq", 1, &[], B::SetToSeq),
    ("SequencesExt", "SetToSeqs", 1, &[], B::SetToSeqs),
    ("SequencesExt", "SetToSortSeq", 2, &[(1, 2)], B::SetToSortSeq),
    ("SequencesExt", "Reverse", 1, &[], B::Reverse),
    ("SequencesExt", "ReplaceFirstSubSeq", 3, &[], B::ReplaceFirstSubSeq),
    ("SequencesExt", "ReplaceAllSubSeqs", 3, &[], B::ReplaceAllSubSeqs),
    ("Bitwise", "&", 2, &[], B::BitAnd),
    ("Bitwise", "|", 2, &[], B::BitOr),
    ("Bitwise", "^^", 2, &[], B::BitXor),
    ("Bitwise", "Not", 1, &[], B::BitNot),
    ("Bitwise", "shiftR", 2, &[], B::ShiftRight),
    ("Json", "ToJson", 1, &[], B::ToJson),
    ("Json", "JsonDeserialize", 1, &[], B::JsonDeserialize),
    ("Json", "ndJsonDeserialize", 1, &[], B::NdJsonDeserialize),
    ("Json", "JsonSerialize", 2, &[], B::JsonSerialize),
    ("Json", "ndJsonSerialize", 2, &[], B::NdJsonSerialize),
    ("Json", "ToJsonArray", 1, &[], B::ToJsonArray),
    ("Json", "ToJsonObject", 1, &[], B::ToJsonObject),
    ("IOUtils", "IOEnv", 0, &[], B::IoEnv),
    ("IOUtils", "atoi", 1, &[], B::Atoi),
    ("IOUtils", "IOSerialize", 3, &[], B::IoSerialize),
    ("IOUtils", "IODeserialize", 2, &[], B::IoDeserialize),
    ("IOUtils", "Serialize", 3, &[], B::Serialize),
    ("IOUtils", "Deserialize", 2, &[], B::Deserialize),
    ("IOUtils", "IOExec", 1, &[], B::IoExec),
    ("IOUtils", "IOEnvExec", 2, &[], B::IoEnvExec),
    ("IOUtils", "IOExecTemplate", 2, &[], B::IoExecTemplate),
    ("IOUtils", "IOEnvExecTemplate", 3, &[], B::IoEnvExecTemplate),
    ("CSV", "CSVRead", 3, &[], B::CsvRead),
    ("CSV", "CSVRecords", 1, &[], B::CsvRecords),
    ("CSV", "CSVWrite", 3, &[], B::CsvWrite),
    ("CSV", "CSVWriteRecord", 4, &[], B::CsvWriteRecord),
    ("Statistics", "ChiSquare", 3, &[], B::ChiSquare),
    ("Combinatorics", "choose", 2, &[], B::Binomial),
    ("GraphViz", "DotDiGraph", 3, &[(1, 1), (2, 1)], B::DotDiGraph),
    ("SVG", "SVGElemToString", 1, &[], B::SvgElemToString),
    ("SVG", "NodeOfRingNetwork", 5, &[], B::SvgRingNode),
    ("SVG", "NodesOfDirectedMultiGraph", 3, &[], B::SvgGraphNodes),
    ("SVG", "SVGSerialize", 3, &[], B::SvgSerialize),
    ("DifferentialEquations", "Integrate", 4, &[], B::Integrate),
    ("Relation", "TransitiveClosure", 2, &[], B::TransitiveClosure),
];

impl Builtin {
    /// The native operators of a module.
    pub(crate) fn of_module(module: &str) -> impl Iterator<Item = (&'static str, Builtin)> {
        TABLE.iter().filter(move |row| row.0 == module).map(|row| (row.1, row.4))
    }

    fn row(self) -> Option<&'static Row> {
        TABLE.iter().find(|row| row.4 == self)
    }

    /// How many arguments it takes.
    pub(crate) fn arity(self) -> usize {
        self.row().map_or(0, |row| row.2)
    }

    /// Which arguments are operators, and how many arguments those take.
    pub(crate) fn operators(self) -> &'static [(usize, usize)] {
        self.row().map_or(&[], |row| row.3)
    }

    /// Its name, for messages.
    pub(crate) fn name(self) -> &'static str {
        self.row().map_or("built-in", |row| row.1)
    }

    /// Whether its value may differ from one evaluation to the next, or evaluating it is noticed.
    pub(crate) fn impure(self) -> bool {
        matches!(
            self,
            B::Print
                | B::PrintT
                | B::Assert
                | B::AssertEq
                | B::TlcGet
                | B::TlcGetOrDefault
                | B::TlcSet
                | B::TraceExpr
                | B::TeTrace
                | B::CounterExample
                | B::JsonSerialize
                | B::NdJsonSerialize
                | B::CsvWrite
                | B::CsvWriteRecord
                | B::Serialize
                | B::IoSerialize
                | B::SvgSerialize
                | B::IoExec
                | B::IoEnvExec
                | B::IoExecTemplate
                | B::IoEnvExecTemplate
        )
    }

    /// Whether its value depends on the state or on how far the check has come.
    pub(crate) fn asks_for_the_state(self) -> bool {
        matches!(self, B::TlcGet | B::TraceExpr | B::CounterExample)
    }

    /// Whether it draws at random.
    pub(crate) fn random(self) -> bool {
        matches!(self, B::RandomElement | B::RandomSubset | B::RandomSetOfSubsets)
    }
}
