//! Who is let in: whoever has the token, at this machine's own address, from the page's own origin.
//!
//! The token is part of the path, so every link and every form carries it, and no cookie does: a cookie would
//! be sent to every other server on this machine, for browsers do not keep the cookies of ports apart. The
//! header `Host` is checked because a name that another site controls may be made to resolve to the loopback
//! address (DNS rebinding); `Origin` and `Sec-Fetch-Site`, because other sites must not even try.

use shakedown_http::{Answer, Request, is_same_secret};

/// The names of this machine for itself.
const NAMES: [&str; 2] = ["127.0.0.1", "localhost"];

/// Who is let in.
pub(super) struct Access {
    token: String,
    port: u16,
}

impl Access {
    pub fn new(token: String, port: u16) -> Access {
        Access { token, port }
    }

    /// The address of the page.
    pub fn address(&self) -> String {
        format!("http://{}:{}/{}/", NAMES[0], self.port, self.token)
    }

    /// The path below the token, or an answer for those who are not let in.
    pub fn path<'r>(&self, request: &'r Request) -> Result<&'r str, Answer> {
        let forbidden = |reason: &str| Answer::error(403, reason);
        let host = request.header("host").unwrap_or_default();
        let is_ours = |given: &str| {
            let names = NAMES.iter().map(|name| format!("{name}:{}", self.port));
            // Browsers leave out the port that HTTP has by default.
            let bare = NAMES.iter().filter(|_| self.port == 80).map(|name| (*name).to_owned());
            names.chain(bare).any(|name| given.eq_ignore_ascii_case(&name))
        };
        if !is_ours(host) {
            return Err(forbidden("this is a server for one machine: use the address that it printed"));
        }
        if let Some(origin) = request.header("origin") {
            let is_same =
                origin.strip_prefix("http://").is_some_and(|origin| origin.eq_ignore_ascii_case(host));
            if !is_same {
                return Err(forbidden("requests of other pages are refused"));
            }
        }
        if let Some(site) = request.header("sec-fetch-site")
            && !matches!(site, "same-origin" | "none")
        {
            return Err(forbidden(
                "requests of other pages are refused: put the address into the address bar",
            ));
        }
        let path = request.path.strip_prefix('/').unwrap_or_default();
        let (token, rest) = path.split_at(path.find('/').unwrap_or(path.len()));
        if !is_same_secret(&self.token, token) {
            return Err(forbidden(
                "the address has no token, or not this server's: use the address that it printed",
            ));
        }
        Ok(rest)
    }

    /// The path of an address below the token.
    pub fn below(&self, rest: &str) -> String {
        format!("/{}/{rest}", self.token)
    }
}
