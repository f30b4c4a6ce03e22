//! TLC's messages: with their codes between markers under `-tool`, plain otherwise.

use std::collections::HashSet;
use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use super::super::harmless::Harmless;

/// How grave a message is, as TLC numbers it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Severity {
    Information = 0,
    Error = 1,
    Warning = 3,
    State = 4,
}

/// Where messages go. What cannot be written is lost: the exit code counts.
pub(super) struct Messages {
    is_tool: bool,
    suppressed: HashSet<u32>,
}

impl Messages {
    pub fn new(is_tool: bool, suppressed: HashSet<u32>) -> Messages {
        Messages { is_tool, suppressed }
    }

    pub fn is_tool(&self) -> bool {
        self.is_tool
    }

    /// Prints a message.
    pub fn send(&self, code: u32, severity: Severity, text: &str) {
        if self.suppressed.contains(&code) {
            return;
        }
        if self.is_tool {
            let number = severity as u8;
            self.line(&format!("@!@!@STARTMSG {code}:{number} @!@!@\n{text}\n@!@!@ENDMSG {code} @!@!@"));
            return;
        }
        let start = match severity {
            Severity::Error => "Error: ",
            Severity::Warning => "Warning: ",
            Severity::Information => "",
            Severity::State => "State ",
        };
        self.line(&format!("{start}{text}"));
    }

    /// Prints a message of no gravity.
    pub fn tell(&self, code: u32, text: &str) {
        self.send(code, Severity::Information, text);
    }

    /// Prints a line that is no message.
    pub fn line(&self, text: &str) {
        let mut out = Harmless::new(std::io::stdout().lock());
        let _ = writeln!(out, "{text}").and_then(|()| out.flush());
    }
}

/// The time now, in UTC, as TLC writes times.
pub(super) fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    date(seconds)
}

/// A time in seconds since 1970. The calendar repeats every 400 years, which start in March here.
fn date(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date(0), "1970-01-01 00:00:00");
        assert_eq!(date(951_782_400), "2000-02-29 00:00:00");
        assert_eq!(date(1_735_689_599), "2024-12-31 23:59:59");
    }
}
