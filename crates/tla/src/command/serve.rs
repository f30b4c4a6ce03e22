//! `serve`: the controlled walk over HTTP, for fuzzers that guide themselves by a specification.
//!
//! A fuzzer sends the events of an execution, `POST /execute` with an array of `{"Name": …, "Params": {…}}`
//! that ends with `{"Reset": true}`. Each event is an action of the specification; its parameters are given
//! by name. The answer has the states that the specification goes through and a key for each. It is the
//! request form of the server of ModelFuzz.

use std::collections::HashMap;
use std::net::{Ipv4Addr, TcpListener, TcpStream};

use clap::Args;
use serde_json::{Value as Json, json};
use shakedown_http::{Answer, Limits, Request, is_same_secret, random_token};

use super::SpecFiles;
use super::files::{CommandError, load};
use super::output::print_out;
use crate::walk::{ActionCall, Attempt, State, Walker};
use crate::{Error, Value};

/// The port that the fuzzers know.
const PORT: u16 = 2023;
/// Longest body of a request, in bytes, and most events in one.
const BODY_BYTES_MAX: usize = 16 << 20;
const EVENTS_MAX: usize = 100_000;
/// Longest answer, in bytes.
const ANSWER_BYTES_MAX: usize = 64 << 20;

/// Arguments of `serve`.
#[derive(Args)]
pub struct Serve {
    #[command(flatten)]
    files: SpecFiles,
    /// The port on the loopback interface; 0 for any that is free
    #[arg(long, default_value_t = PORT, value_name = "N")]
    port: u16,
    /// Ask for no token: any program on this machine may use the server. Fuzzers written for the server of
    /// ModelFuzz send none
    #[arg(long)]
    no_token: bool,
    /// Pass over events that are no actions of the specification, instead of refusing them
    #[arg(long)]
    skip_unknown: bool,
    /// Stop after this many requests
    #[arg(long, value_name = "N")]
    requests: Option<u64>,
}

/// Who answers.
struct Server {
    walker: Walker,
    /// The parameters of each action.
    actions: HashMap<String, Vec<String>>,
    token: Option<String>,
    skip_unknown: bool,
}

impl Serve {
    pub(super) fn run(&self) -> Result<u8, CommandError> {
        let (spec, _) = load(&self.files)?;
        let walker = Walker::new(&spec)?;
        let names = |symbols: Vec<crate::Symbol>| symbols.iter().map(ToString::to_string).collect();
        let actions =
            walker.actions().into_iter().map(|(name, parameters)| (name.to_string(), names(parameters)));
        let token = (!self.no_token).then(random_token);
        let actions = actions.collect();
        let mut server = Server { walker, actions, token, skip_unknown: self.skip_unknown };
        let wrong = |error: std::io::Error| CommandError::usage(format!("port {}: {error}", self.port));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, self.port)).map_err(wrong)?;
        let address = listener.local_addr().map_err(wrong)?;
        let token = server.token.as_ref().map_or_else(String::new, |token| format!("token: {token}\n"));
        let code = print_out(&format!("listening on http://{address}/execute\n{token}"), 0);
        let mut left = self.requests.unwrap_or(u64::MAX);
        while left > 0 {
            // A connection that cannot be accepted is gone; the next one may come.
            let Ok((stream, _)) = listener.accept() else { continue };
            left -= 1;
            server.serve(&stream);
        }
        Ok(code)
    }
}

impl Server {
    fn serve(&mut self, stream: &TcpStream) {
        let limits = Limits { body_bytes_max: BODY_BYTES_MAX, ..Limits::default() };
        match Request::read(stream, &limits) {
            Ok(request) => self.answer(&request).write(stream),
            Err(Some(answer)) => answer.refuse(stream),
            Err(None) => {}
        }
    }

    fn answer(&mut self, request: &Request) -> Answer {
        // A page in a browser on this machine has an origin; programs have none.
        if request.header("origin").is_some() {
            return Answer::error(403, "requests of web pages are refused");
        }
        if let Some(token) = &self.token {
            let given = request.header("authorization").and_then(|text| text.strip_prefix("Bearer "));
            if !given.is_some_and(|given| is_same_secret(token, given)) {
                return Answer::error(
                    401,
                    "give the token as `Authorization: Bearer …`, or start with --no-token",
                );
            }
        }
        if request.path != "/execute" {
            return Answer::error(404, "there is only /execute");
        }
        if request.method != "POST" {
            return Answer::error(405, "/execute takes POST");
        }
        match self.execute(&request.body) {
            Ok(answer) => Answer::new("application/json", answer),
            Err((status, reason)) => Answer::error(status, reason),
        }
    }

    /// Walks along the events; what is wrong has a status.
    fn execute(&mut self, body: &[u8]) -> Result<String, (u16, String)> {
        let bad = |reason: String| (400, reason);
        let failed = |error: Box<Error>| (500, error.to_string());
        let events: Vec<Json> =
            serde_json::from_slice(body).map_err(|error| bad(format!("no array: {error}")))?;
        if events.len() > EVENTS_MAX {
            return Err(bad(format!("there are more than {EVENTS_MAX} events")));
        }
        let mut calls = Vec::new();
        for (position, event) in events.iter().enumerate() {
            let wrong = |reason: String| bad(format!("event {}: {reason}", position + 1));
            match self.call(event).map_err(wrong)? {
                Event::Reset => break,
                Event::Skip => {}
                Event::Call(call) => calls.push(call),
            }
        }
        let first = self.walker.initial().map_err(failed)?.into_iter().next();
        let mut state = first.ok_or_else(|| (500, "the specification has no initial state".to_string()))?;
        let mut trace = vec![state.clone()];
        for call in &calls {
            // An action that is not enabled is a stutter.
            if let Attempt::Taken(states) = self.walker.attempt(&state, call).map_err(failed)?
                && let Some(next) = states.into_iter().next()
            {
                state = next;
            }
            trace.push(state.clone());
        }
        self.written(&trace)
    }

    fn written(&mut self, trace: &[State]) -> Result<String, (u16, String)> {
        let mut states = Vec::with_capacity(trace.len());
        let mut bytes = 0;
        for state in trace {
            let text = self.walker.to_text(state);
            bytes += text.len();
            if bytes > ANSWER_BYTES_MAX {
                return Err((413, format!("the states take more than {} MiB", ANSWER_BYTES_MAX >> 20)));
            }
            states.push(text);
        }
        // Keys are signed for the fuzzers, whose numbers are.
        let keys: Vec<i64> = trace.iter().map(|state| state.fingerprint() as i64).collect();
        Ok(json!({ "states": states, "keys": keys }).to_string())
    }

    /// What an event asks for. Its fields may start with a small or a capital letter.
    fn call(&self, event: &Json) -> Result<Event, String> {
        let field = |small: &str, capital: &str| event.get(small).or_else(|| event.get(capital));
        if field("reset", "Reset").and_then(Json::as_bool).unwrap_or(false) {
            return Ok(Event::Reset);
        }
        let name = field("name", "Name").and_then(Json::as_str).ok_or("it has no name")?;
        let Some(parameters) = self.actions.get(name) else {
            if self.skip_unknown {
                return Ok(Event::Skip);
            }
            let mut known: Vec<&str> = self.actions.keys().map(String::as_str).collect();
            known.sort_unstable();
            return Err(format!("{name} is no action of the specification; these are: {}", known.join(", ")));
        };
        let given = field("params", "Params");
        let argument = |parameter: &String| {
            let value = given.and_then(|given| given.get(parameter));
            let value =
                value.ok_or_else(|| format!("{name} has a parameter {parameter}, which is missing"))?;
            Value::from_json(value).map_err(|reason| format!("parameter {parameter}: {reason}"))
        };
        let arguments = parameters.iter().map(argument).collect::<Result<Vec<_>, String>>()?;
        Ok(Event::Call(ActionCall::new(name, arguments)))
    }
}

/// What an event asks for.
enum Event {
    Call(ActionCall),
    Skip,
    /// The execution ends here.
    Reset,
}
