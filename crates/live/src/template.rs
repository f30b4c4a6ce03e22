//! Placeholders in the texts of a deployment.
//!
//! | placeholder | stands for |
//! |---|---|
//! | `{id}` | the number of the server, from 1 |
//! | `{name}` | its name, as in schedules: `n1` |
//! | `{nodes}` | how many servers there are |
//! | `{folder}` | the folder of the server, which it runs in |
//! | `{data}` | the folder for its data, which restarts keep or lose |
//! | `{port:NAME}` | the port of that name that it listens on |
//! | `{address:NAME}` | `127.0.0.1:PORT`, where others reach that port: in `peer`, the address of a proxy |
//! | `{proxy:NAME}` | the port of that address alone |
//! | `{option:NAME}` | the value of an option of the target |
//! | `{peers}` | the text `peer` for every server, with the separator between |
//! | `{here}` | the folder of the target file |
//!
//! A brace that is meant is written twice.

/// Puts values in the place of placeholders.
pub(crate) fn fill(text: &str, value: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = rest.find(['{', '}']) {
        filled.push_str(&rest[..place]);
        let brace = &rest[place..=place];
        rest = &rest[place + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            filled.push_str(brace);
            rest = after;
            continue;
        }
        let end = rest.find('}').filter(|_| brace == "{");
        let Some(end) = end else {
            return Err(format!("`{text}` has a brace alone: write it twice if it is meant"));
        };
        let name = &rest[..end];
        filled
            .push_str(&value(name).ok_or_else(|| format!("`{text}`: there is no placeholder `{{{name}}}`"))?);
        rest = &rest[end + 1..];
    }
    filled.push_str(rest);
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(text: &str) -> Result<String, String> {
        fill(text, |name| match name {
            "id" => Some("2".to_owned()),
            "port:peer" => Some("7001".to_owned()),
            _ => None,
        })
    }

    #[test]
    fn placeholders_are_filled_in_and_unknown_ones_refused() {
        assert_eq!(filled("n{id} at {port:peer}"), Ok("n2 at 7001".to_owned()));
        assert_eq!(filled("{{\"id\":{id}}}"), Ok("{\"id\":2}".to_owned()));
        assert_eq!(filled("plain"), Ok("plain".to_owned()));
        assert!(filled("{name}").is_err_and(|error| error.contains("no placeholder `{name}`")));
        assert!(filled("a { b").is_err_and(|error| error.contains("a brace alone")));
        assert!(filled("a } b").is_err_and(|error| error.contains("a brace alone")));
    }
}
