//! How an execution of a target begins: its options are checked, and its workload, oracles and guides are
//! made.

use std::sync::{Arc, PoisonError};

use shakedown_check::{Guide, Oracle, OracleInfo, SpecTrace};
use shakedown_cluster::{
    BadOption, Caught, Contract, InProcess, NODES_MAX, Node, Options, Random, Recording, Setup, catch_panic,
    derive_seed,
};
#[cfg(feature = "tla")]
use shakedown_conform::compare::{NoNodes, SpecSource, Suite};
#[cfg(feature = "tla")]
use shakedown_conform::follow::{Following, NotFollowed};
#[cfg(feature = "tla")]
use shakedown_conform::{NO_SPEC, SPEC_OPTION};
use shakedown_explore::{Execution, Strategy};
use shakedown_scenario::{BadScenario, Monitor, MonitorOptions};

use super::{
    AnyTarget, CannotBegin, Config, Guides, KnownOptions, REQUESTS_MAX, STEPS_MAX, Target, TargetInfo,
};
use crate::code::{CODE, Code};
use crate::guides::{MODEL, STATE, States, TRACE, Traces};
use crate::live::{Live, watch_within};
use crate::threads::Tenure;

impl<N: Node + 'static> AnyTarget for Target<N> {
    fn info(&self) -> &TargetInfo {
        &self.info
    }

    fn validate_scenario(&self, scenario: &str, nodes: usize) -> Result<(), BadScenario> {
        let known = self.scenarios.iter().find(|known| known.name() == scenario);
        known.map_or(Ok(()), |known| known.validate(nodes, self.kinds))
    }

    fn monitor(
        &self,
        scenario: &str,
        options: MonitorOptions,
        inner: Box<dyn Strategy>,
        execution: &Execution,
        nodes: usize,
    ) -> Option<Box<dyn Strategy>> {
        let scenario = self.scenarios.iter().find(|known| known.name() == scenario)?;
        let clauses = Arc::clone(&self.clauses);
        Some(Box::new(Monitor::new(Arc::clone(scenario), clauses, options, inner, execution, nodes)))
    }

    fn contract(&self, options: &Options) -> Result<Contract, BadOption> {
        (self.contract)(options)
    }

    fn oracles(&self, config: &Config) -> Result<Vec<OracleInfo>, CannotBegin> {
        let info = |oracle: Box<dyn Oracle<N::State>>| OracleInfo {
            name: oracle.name().to_owned(),
            about: oracle.about().to_owned(),
        };
        self.guarded(|| {
            let KnownOptions { complete, .. } = self.known_options(&config.options)?;
            let oracles = self.oracles_of(&Config { options: complete, ..config.clone() })?;
            Ok(oracles.into_iter().map(info).collect())
        })
    }

    #[cfg(feature = "tla")]
    fn spec_nodes(&self, options: &Options) -> Result<usize, CannotBegin> {
        let KnownOptions { complete, .. } = self.known_options(options)?;
        let comparison = self.comparison.as_ref().ok_or_else(|| CannotBegin::no_spec(&self.info.name))?;
        comparison.nodes(&complete).map_err(|error| match error {
            NoNodes::Option(error) => error.into(),
            NoNodes::Model(error) => self.bad_spec(&error),
        })
    }

    #[cfg(feature = "tla")]
    fn suite(&self, config: &Config, states_max: usize) -> Result<Suite, CannotBegin> {
        let KnownOptions { complete, .. } = self.known_options(&config.options)?;
        let source = self.spec(&complete, config.nodes)?;
        let (comparison, source) =
            self.comparison.as_ref().zip(source).ok_or_else(|| CannotBegin::no_spec(&self.info.name))?;
        comparison.suite(&source, states_max).map_err(|error| self.bad_spec(&error))
    }

    fn guides(&self, config: &Config) -> Vec<&'static str> {
        let Ok(KnownOptions { complete, .. }) = self.known_options(&config.options) else {
            return Vec::new();
        };
        let config = Config { options: complete, ..config.clone() };
        let mut names: Vec<&'static str> = self.guides.iter().map(|(name, _)| *name).collect();
        names.push(CODE.name);
        let can_be_had = |name: &&'static str| self.guarded(|| self.guide_named(name, &config)).is_ok();
        names.into_iter().filter(can_be_had).collect()
    }

    fn begin_guided(
        &self,
        config: &Config,
        seed: u64,
        recording: Recording,
        guides: &[String],
    ) -> Result<Box<dyn Live>, CannotBegin> {
        self.begin_with(config, seed, recording, |config| {
            let watchers = guides.iter().map(|name| self.guide_named(name, config)).collect();
            Code::begin(guides);
            watchers
        })
    }

    fn begin_traced(
        &self,
        config: &Config,
        seed: u64,
        recording: Recording,
        trace: &SpecTrace,
    ) -> Result<Box<dyn Live>, CannotBegin> {
        let none = |reason| CannotBegin::SpecTrace { target: self.info.name.clone(), reason };
        #[cfg(feature = "tla")]
        {
            let following =
                self.following.as_ref().ok_or_else(|| none("it is followed on none".to_owned()))?;
            self.begin_with(config, seed, recording, |config| {
                let recorder = following.recorder(config.nodes, &config.options, trace.clone());
                recorder.map(|guide| vec![guide]).map_err(|error| none(error.to_string()))
            })
        }
        #[cfg(not(feature = "tla"))]
        {
            let _ = (config, seed, recording, trace);
            Err(none("traces need the feature `tla` of the crate shakedown, which is off".to_owned()))
        }
    }
}

/// The switch of earlier versions in place of which the option `spec` names the specification.
#[cfg(feature = "tla")]
const OLD_SWITCH: &str = "conformance";

type Described<S> = (Setup, Vec<Box<dyn Oracle<S>>>);

impl<N: Node + 'static> Target<N> {
    fn begin_with(
        &self,
        config: &Config,
        seed: u64,
        recording: Recording,
        guides: impl FnOnce(&Config) -> Result<Guides<N::State>, CannotBegin>,
    ) -> Result<Box<dyn Live>, CannotBegin> {
        if config.nodes < self.info.nodes_min || config.nodes > NODES_MAX {
            return Err(CannotBegin::Nodes {
                target: self.info.name.clone(),
                nodes: config.nodes,
                min: self.info.nodes_min,
            });
        }
        for (what, count, most) in
            [("requests", config.requests, REQUESTS_MAX), ("steps", config.steps, STEPS_MAX)]
        {
            if count > most {
                return Err(CannotBegin::TooMany { target: self.info.name.clone(), what, count, most });
            }
        }
        let (setup, oracles, guides) = self.guarded(|| {
            let KnownOptions { complete, contract, .. } = self.known_options(&config.options)?;
            let config = Config { options: complete, ..config.clone() };
            let (setup, oracles) = self.describe(&config, contract, seed, recording)?;
            Ok((setup, oracles, guides(&config)?))
        })?;
        if let Some(environment) = &self.environment {
            let target = self.info.name.clone();
            environment.prepare().map_err(|reason| CannotBegin::Environment { target, reason })?;
        }
        let tenure = Tenure::of_execution();
        if let Some(boot) = &self.booter {
            let target = self.info.name.clone();
            let cluster = boot(&setup).map_err(|reason| CannotBegin::Environment { target, reason })?;
            return Ok(watch_within(tenure, cluster, oracles, guides, self.abstractions.clone()));
        }
        let cluster = InProcess::<N>::boot_in(self.environment.clone(), &setup, self.info.caught_panics)?;
        Ok(watch_within(tenure, cluster, oracles, guides, self.abstractions.clone()))
    }

    /// Runs the target's own code, whose panics keep executions from beginning.
    fn guarded<T>(&self, describe: impl FnOnce() -> Result<T, CannotBegin>) -> Result<T, CannotBegin> {
        catch_panic(describe).unwrap_or_else(|Caught { message, place }| {
            let reason = format!("{message} ({place})");
            Err(CannotBegin::Panicked { target: self.info.name.clone(), reason })
        })
    }

    /// What an execution begins with. All of it is the target's own code.
    fn describe(
        &self,
        config: &Config,
        contract: Contract,
        seed: u64,
        recording: Recording,
    ) -> Result<Described<N::State>, CannotBegin> {
        // Part 0 of the seed is the workload's, part 1 the strategy's, part 2 the nodes'.
        let requests = (self.workload)(config, &mut Random::new(derive_seed(seed, 0)));
        let to_json = |(number, request): (usize, &N::Request)| match serde_json::to_string(request) {
            Ok(text) => Ok(Arc::from(text)),
            Err(error) => Err(CannotBegin::Request {
                target: self.info.name.clone(),
                number,
                reason: error.to_string(),
            }),
        };
        let workload =
            requests.iter().take(config.requests).enumerate().map(to_json).collect::<Result<_, _>>()?;
        let setup = Setup {
            nodes: config.nodes,
            contract,
            options: Arc::new(config.options.clone()),
            workload,
            steps: config.steps,
            seed: derive_seed(seed, 2),
            recording,
        };
        Ok((setup, self.oracles_of(config)?))
    }

    /// The target's own oracles, and the specification that the execution is followed on; or the comparison
    /// with one.
    fn oracles_of(&self, config: &Config) -> Result<Vec<Box<dyn Oracle<N::State>>>, CannotBegin> {
        #[cfg(feature = "tla")]
        if let Some((comparison, source)) =
            self.comparison.as_ref().zip(self.spec(&config.options, config.nodes)?)
        {
            return Ok(vec![comparison.oracle(&source).map_err(|error| self.bad_spec(&error))?]);
        }
        #[cfg_attr(not(feature = "tla"), expect(unused_mut, reason = "only a specification adds to them"))]
        let mut oracles = (self.oracles)(config);
        #[cfg(feature = "tla")]
        if let Some(following) = self.followed(&config.options) {
            oracles.push(following.oracle(config.nodes, &config.options).map_err(|error| match error {
                NotFollowed::Option(error) => error.into(),
                error => self.bad_spec(&error),
            })?);
        }
        Ok(oracles)
    }

    /// The specification that states are compared with, if these options name one.
    #[cfg(feature = "tla")]
    fn spec(&self, options: &Options, nodes: usize) -> Result<Option<SpecSource>, CannotBegin> {
        if self.followed(options).is_some() {
            return Ok(None);
        }
        let source = self.comparison.as_ref().map(|comparison| comparison.source(options, nodes));
        Ok(source.transpose()?.flatten())
    }

    #[cfg(feature = "tla")]
    fn bad_spec(&self, error: &dyn std::fmt::Display) -> CannotBegin {
        CannotBegin::Spec { target: self.info.name.clone(), reason: error.to_string() }
    }

    fn guide_named(&self, name: &str, config: &Config) -> Result<Box<dyn Guide<N::State>>, CannotBegin> {
        let no_such = |reason| CannotBegin::Guide {
            target: self.info.name.clone(),
            guide: name.chars().take(40).collect(),
            reason,
        };
        if name == STATE.name {
            return Ok(Box::new(States::new(Arc::clone(&self.abstractions.colour))));
        }
        if name == TRACE.name {
            return Ok(Box::new(Traces));
        }
        if let Some(code) = Code::named(name) {
            return code.map(|code| Box::new(code) as Box<dyn Guide<N::State>>).map_err(no_such);
        }
        match self.guides.iter().find(|(known, _)| *known == name) {
            Some((_, make)) => make(config).map_err(no_such),
            None if name == MODEL && cfg!(not(feature = "tla")) => {
                let reason = "states of a model need the feature `tla` of the crate shakedown, which is off";
                Err(no_such(reason.to_owned()))
            }
            None => {
                let names: Vec<_> = self.info.guides.iter().map(|info| info.name).collect();
                Err(no_such(format!("choose one of {}", names.join(", "))))
            }
        }
    }
}

impl<N: Node> Target<N> {
    /// The specification that executions are followed on, if these options name it.
    #[cfg(feature = "tla")]
    fn followed(&self, options: &Options) -> Option<&Following<N::State>> {
        self.following.as_deref().filter(|following| options.text(SPEC_OPTION) == Some(following.name()))
    }

    /// The same options without a switch of earlier versions: `conformance=true` is what `spec` with the name
    /// of the followed specification is now. Failure files and campaigns of then still hold it.
    #[cfg(feature = "tla")]
    fn without_old_switch(&self, given: &Options) -> Result<Options, BadOption> {
        let Some(following) = self.following.as_deref().filter(|_| given.text(OLD_SWITCH).is_some()) else {
            return Ok(given.clone());
        };
        let is_on: bool = given.get(OLD_SWITCH)?;
        let mut options = Options::default();
        given
            .iter()
            .filter(|(name, _)| *name != OLD_SWITCH)
            .for_each(|(name, value)| options.set(name, value));
        if is_on && options.text(SPEC_OPTION).is_none_or(|spec| spec == NO_SPEC) {
            options.set(SPEC_OPTION, following.name());
        }
        Ok(options)
    }

    /// These options, checked and complete, and what follows from them.
    fn known_options(&self, given: &Options) -> Result<KnownOptions, CannotBegin> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.as_ref().filter(|known| known.given.is_copy_of(given)) {
            return Ok(known.clone());
        }
        #[cfg(feature = "tla")]
        let mut complete = self.without_old_switch(given)?;
        #[cfg(not(feature = "tla"))]
        let mut complete = given.clone();
        self.check_options(&complete)?;
        // An option that a file does not name, because the target did not have it then, has its default.
        for (option, value) in self.info.defaults.options.iter() {
            if complete.text(option).is_none() {
                complete.set(option, value);
            }
        }
        let contract = (self.contract)(&complete)?;
        #[cfg(feature = "tla")]
        if let Some(following) = self.followed(&complete) {
            following.check(&complete)?;
        } else if self.comparison.is_none() {
            self.check_spec_name(&complete)?;
        }
        Ok(known.insert(KnownOptions { given: given.clone(), complete, contract }).clone())
    }

    /// Without specifications to compare with, the option names the one that is followed, or none.
    #[cfg(feature = "tla")]
    fn check_spec_name(&self, options: &Options) -> Result<(), BadOption> {
        let Some(spec) = options.text(SPEC_OPTION).filter(|spec| *spec != NO_SPEC) else { return Ok(()) };
        let name = self.following.as_deref().map_or(NO_SPEC, Following::name);
        let reason = format!("it is {NO_SPEC} or {name}");
        Err(BadOption { name: SPEC_OPTION.to_owned(), value: spec.to_owned(), reason })
    }

    fn check_options(&self, options: &Options) -> Result<(), CannotBegin> {
        for (option, _) in options.iter() {
            let known = self.info.options.iter().find(|known| known.name == option);
            let known = known.ok_or_else(|| self.unknown_option(option))?;
            (known.check)(options, option)?;
        }
        Ok(())
    }

    fn unknown_option(&self, option: &str) -> CannotBegin {
        let names: Vec<_> = self.info.options.iter().map(|known| known.name).collect();
        let known = if names.is_empty() { String::new() } else { format!(": it has {}", names.join(", ")) };
        CannotBegin::UnknownOption { target: self.info.name.clone(), option: option.to_owned(), known }
    }
}
