//! XML 1.0 as far as reports use it, read strictly: what is not well formed is refused. And what the schema
//! of JUnit reports that Ant, Jenkins and Maven Surefire share demands of them.

/// An element with all that is in it.
#[derive(Debug, Default)]
pub struct Element {
    pub name: String,
    pub attributes: Vec<(String, String)>,
    pub children: Vec<Element>,
    pub text: String,
}

impl Element {
    /// The value of an attribute.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn number(&self, name: &str) -> usize {
        let value = self.get(name).unwrap_or_else(|| panic!("{} has no {name}", self.name));
        value.parse().unwrap_or_else(|_| panic!("{name}=\"{value}\" is no number"))
    }
}

/// The root of a document.
///
/// # Panics
/// If it is not well formed.
pub fn parse(document: &str) -> Element {
    let forbidden = document.chars().find(|c| !is_allowed(*c));
    assert_eq!(forbidden, None, "section 2.2: no such character");
    let body = document.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").expect("section 2.8");
    let mut rest = body;
    let root = element(&mut rest);
    assert_eq!(rest.trim(), "", "section 2.1: one root");
    root
}

/// The production `Char` of section 2.2.
fn is_allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

fn element(rest: &mut &str) -> Element {
    let inside = rest.strip_prefix('<').expect("an element begins with <");
    let (tag, after) = inside.split_once('>').expect("a tag ends with >");
    assert!(!tag.contains('<'), "section 3.1: no < in a tag: {tag}");
    *rest = after;
    let (tag, is_empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
    let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
    assert!(!name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase()), "a name: {name}");
    let mut element = Element { name: name.to_owned(), ..Element::default() };
    attributes_of(attributes, &mut element);
    if is_empty {
        return element;
    }
    loop {
        let (text, after) = rest.split_at(rest.find('<').expect("an element has an end"));
        assert!(!text.contains("]]>"), "section 2.4");
        element.text.push_str(&decoded(text));
        *rest = after;
        if let Some(end) = rest.strip_prefix("</") {
            *rest =
                end.strip_prefix(name).and_then(|end| end.strip_prefix('>')).expect("section 3: it nests");
            return element;
        }
        element.children.push(self::element(rest));
    }
}

fn attributes_of(mut text: &str, element: &mut Element) {
    while !text.is_empty() {
        let (name, after) = text.split_once("=\"").expect("section 3.1: an attribute has a quoted value");
        let (value, after) = after.split_once('"').expect("the quote is closed");
        assert!(!value.contains('<'), "section 3.1: no < in a value");
        assert!(element.get(name).is_none(), "section 3.1: an attribute stands once");
        element.attributes.push((name.to_owned(), decoded(value)));
        text = after.strip_prefix(' ').unwrap_or(after);
    }
}

/// The text behind references; only those that are predefined, and characters by number.
fn decoded(text: &str) -> String {
    let mut parts = text.split('&');
    let mut decoded = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (reference, after) = part.split_once(';').expect("section 4.1: a reference ends with ;");
        decoded.push(match reference {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            "#39" => '\'',
            other => panic!("section 4.1: no entity {other}"),
        });
        decoded.push_str(after);
    }
    decoded
}

/// What the schema demands: which elements and attributes there are, which are required, and that the counts
/// are right.
pub fn check_junit(document: &str) -> Element {
    let root = parse(document);
    assert_eq!(root.name, "testsuites");
    only(&root, &["name", "tests", "failures", "errors", "skipped", "time"], &["testsuite"]);
    for suite in &root.children {
        only(suite, &["name", "tests", "failures", "errors", "skipped", "time"], &["testcase"]);
        assert!(suite.get("name").is_some(), "a suite has a name");
        assert!(suite.get("time").is_some_and(|time| time.parse::<f64>().is_ok()), "time is a decimal");
        for case in &suite.children {
            only(case, &["name", "classname", "time"], &["failure", "error", "skipped"]);
            assert!(case.get("name").is_some_and(|name| !name.is_empty()), "a case has a name");
            assert!(case.get("classname").is_some(), "a case has a class");
            assert!(case.children.len() <= 1, "a case fails, errs, is skipped, or passes");
            for outcome in &case.children {
                only(outcome, &["type", "message"], &[]);
                assert!(outcome.get("type").is_some(), "an outcome has a type");
            }
        }
        let of_kind = |kind: &str| {
            suite.children.iter().filter(|case| case.children.iter().any(|child| child.name == kind)).count()
        };
        assert_eq!(suite.number("tests"), suite.children.len());
        assert_eq!(suite.number("failures"), of_kind("failure"));
        assert_eq!(suite.number("errors"), of_kind("error"));
        assert_eq!(suite.number("skipped"), of_kind("skipped"));
    }
    for count in ["tests", "failures", "errors", "skipped"] {
        assert_eq!(root.number(count), root.children.iter().map(|suite| suite.number(count)).sum::<usize>());
    }
    root
}

fn only(element: &Element, attributes: &[&str], children: &[&str]) {
    for (name, _) in &element.attributes {
        assert!(attributes.contains(&name.as_str()), "{} has no attribute {name}", element.name);
    }
    for child in &element.children {
        assert!(children.contains(&child.name.as_str()), "no {} in {}", child.name, element.name);
    }
    let has_text = !element.text.trim().is_empty();
    assert!(!has_text || matches!(element.name.as_str(), "failure" | "error"), "no text in {}", element.name);
}
