//! What clients may be answered, whatever the protocol.

use std::collections::BTreeMap;
use std::sync::Arc;

use shakedown_cluster::{Happening, RequestId, RequestInfo};

use crate::{Oracle, Seen};

/// No request is answered twice.
#[derive(Default)]
pub struct AnsweredOnce {
    /// From which moment on events are new.
    moments: u32,
    answered: Vec<RequestId>,
}

impl<S> Oracle<S> for AnsweredOnce {
    fn name(&self) -> &str {
        "answered-once"
    }

    fn about(&self) -> &str {
        "no request is answered twice"
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        let board = seen.board();
        for event in board.events_from(self.moments) {
            let Happening::Answered(id) = event.what else { continue };
            if self.answered.contains(&id) {
                let node = board.moments()[event.moment as usize].node;
                return Err(format!("{node} answers request {}, which was answered before", id.0 + 1));
            }
            self.answered.push(id);
        }
        self.moments = board.moments().len() as u32;
        Ok(())
    }
}

/// What a request reads: requests that read the same have equal answers.
type Subject = Box<dyn Fn(&RequestInfo) -> Option<String>>;

/// Requests that read the same thing, which never changes, get equal answers: the entry of a log, the value
/// that was decided.
pub struct EqualAnswers {
    subject: Subject,
    moments: u32,
    known: BTreeMap<String, Arc<str>>,
}

impl EqualAnswers {
    /// `subject` gives what an answered request has read; none of one that is not asked about.
    pub fn new(subject: impl Fn(&RequestInfo) -> Option<String> + 'static) -> EqualAnswers {
        EqualAnswers { subject: Box::new(subject), moments: 0, known: BTreeMap::new() }
    }
}

impl<S> Oracle<S> for EqualAnswers {
    fn name(&self) -> &str {
        "equal-answers"
    }

    fn about(&self) -> &str {
        "requests that read the same have equal answers"
    }

    fn after_step(&mut self, seen: &Seen<'_, S>) -> Result<(), String> {
        let board = seen.board();
        for event in board.events_from(self.moments) {
            let Happening::Answered(id) = event.what else { continue };
            let Some(request) = board.requests().get(id.0 as usize) else { continue };
            let (Some(answer), Some(subject)) = (&request.answer, (self.subject)(request)) else { continue };
            let known = self.known.entry(subject).or_insert_with(|| Arc::clone(answer));
            if known != answer {
                let (asked, node) = (&request.op, request.node);
                return Err(format!(
                    "{node} answers `{asked}` with {answer}, but {known} was the answer before"
                ));
            }
        }
        self.moments = board.moments().len() as u32;
        Ok(())
    }
}
