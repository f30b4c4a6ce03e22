//! What a target declares: the specification that its executions are followed on.

use shakedown_check::{Guide, Oracle, SpecTrace};
use shakedown_cluster::{BadOption, Options};

use super::{EventMapping, FollowsModel, ModelGuide, Projection, Recorder};
use crate::{BadModel, ModelSource};

type Source = Box<dyn Fn(usize, &Options) -> Result<ModelSource, BadOption> + Send + Sync>;
type GuideMaker<S> = Box<dyn Fn(&ModelSource) -> Result<Box<dyn Guide<S>>, BadModel> + Send + Sync>;
type OracleMaker<S> = Box<dyn Fn(&ModelSource) -> Result<Box<dyn Oracle<S>>, BadModel> + Send + Sync>;
type Select = fn(&Options) -> Result<bool, BadOption>;
type Record<S> = Box<dyn Fn(&Options, SpecTrace) -> Result<Box<dyn Guide<S>>, BadOption> + Send + Sync>;

/// Why an execution cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotFollowed {
    /// The specification does not know what an option asks for.
    #[error(transparent)]
    Option(#[from] BadOption),
    /// The specification cannot be walked.
    #[error(transparent)]
    Model(#[from] BadModel),
    /// There is no projection, so no trace can be recorded.
    #[error("the states of its nodes have no projection onto the specification")]
    NoProjection,
}

/// The specification that the executions of a target are followed on, and how.
pub struct Following<S> {
    name: &'static str,
    about: &'static str,
    source: Source,
    guide: GuideMaker<S>,
    oracle: OracleMaker<S>,
    record: Option<Record<S>>,
    /// Executions with options that this holds of are followed on another specification.
    other: Option<(Select, Box<Following<S>>)>,
}

impl<S: 'static> Following<S> {
    /// Follows executions on the specification of this name with a mapping. `about` is one line on the states
    /// that are covered. `source` gives the model for a number of nodes; its error reports an option that the
    /// specification does not know.
    pub fn by<M, F>(name: &'static str, about: &'static str, source: F) -> Following<S>
    where
        M: EventMapping<S> + Default + 'static,
        F: Fn(usize, &Options) -> Result<ModelSource, BadOption> + Send + Sync + 'static,
    {
        Following::with(name, about, source, M::default)
    }

    /// The same with the mappings that `make` gives.
    pub fn with<M, F, G>(name: &'static str, about: &'static str, source: F, make: G) -> Following<S>
    where
        M: EventMapping<S> + 'static,
        F: Fn(usize, &Options) -> Result<ModelSource, BadOption> + Send + Sync + 'static,
        G: Fn() -> M + Send + Sync + Clone + 'static,
    {
        let for_oracle = make.clone();
        Following {
            name,
            about,
            source: Box::new(source),
            guide: Box::new(move |source| Ok(Box::new(ModelGuide::new(source, make())?))),
            oracle: Box::new(move |source| Ok(Box::new(FollowsModel::new(source, for_oracle())?))),
            record: None,
            other: None,
        }
    }

    /// Executions with options that `holds` is true of are followed as `other` has it. The name stays the
    /// same; recorded traces have the other's.
    #[must_use]
    pub fn but_where(mut self, holds: Select, other: Following<S>) -> Self {
        self.other = Some((holds, Box::new(other)));
        self
    }

    /// How executions with these options are followed.
    fn of(&self, options: &Options) -> Result<&Following<S>, BadOption> {
        match &self.other {
            Some((holds, other)) if holds(options)? => other.of(options),
            _ => Ok(self),
        }
    }

    fn model(&self, nodes: usize, options: &Options) -> Result<(&Following<S>, ModelSource), BadOption> {
        let following = self.of(options)?;
        Ok((following, (following.source)(nodes, options)?))
    }

    /// Records traces too, with what this projection shows of the specification's variables.
    #[must_use]
    pub fn recorded<M, P, F>(self, projection: F) -> Self
    where
        M: EventMapping<S> + Default + 'static,
        P: Projection<S> + 'static,
        F: Fn(&Options) -> Result<P, BadOption> + Send + Sync + 'static,
    {
        self.recorded_with(projection, M::default)
    }

    /// The same with the mappings that `make` gives.
    #[must_use]
    pub fn recorded_with<M, P, F, G>(mut self, projection: F, make: G) -> Self
    where
        M: EventMapping<S> + 'static,
        P: Projection<S> + 'static,
        F: Fn(&Options) -> Result<P, BadOption> + Send + Sync + 'static,
        G: Fn() -> M + Send + Sync + 'static,
    {
        let name = self.name;
        self.record = Some(Box::new(move |options, trace| {
            Ok(Box::new(Recorder::new(name, make(), projection(options)?, trace)))
        }));
        self
    }

    /// The name of the specification.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// One line on the states that are covered.
    pub fn about(&self) -> &'static str {
        self.about
    }

    /// Whether the specification knows what these options ask for.
    pub fn check(&self, options: &Options) -> Result<(), BadOption> {
        self.model(1, options).map(drop)
    }

    /// The guide for one execution.
    pub fn guide(&self, nodes: usize, options: &Options) -> Result<Box<dyn Guide<S>>, NotFollowed> {
        let (following, source) = self.model(nodes, options)?;
        Ok((following.guide)(&source)?)
    }

    /// The oracle for one execution.
    pub fn oracle(&self, nodes: usize, options: &Options) -> Result<Box<dyn Oracle<S>>, NotFollowed> {
        let (following, source) = self.model(nodes, options)?;
        Ok((following.oracle)(&source)?)
    }

    /// What records the trace of one execution.
    pub fn recorder(
        &self,
        nodes: usize,
        options: &Options,
        trace: SpecTrace,
    ) -> Result<Box<dyn Guide<S>>, NotFollowed> {
        // An execution that the specification does not know has no trace either.
        let (following, _) = self.model(nodes, options)?;
        let record = following.record.as_ref().ok_or(NotFollowed::NoProjection)?;
        Ok(record(options, trace)?)
    }
}
