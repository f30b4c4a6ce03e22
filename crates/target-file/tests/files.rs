//! What files are refused, and where they are wrong. Nothing is started by reading one.

use std::path::Path;
use std::sync::Arc;

const HEAD: &str = "version = 1\n[target]\nname = \"x\"\ncommand = [\"./no-such-program\"]\n";

fn read(text: &str) -> Result<String, String> {
    shakedown_target_file::read(text, Path::new("."), Arc::new(|_| panic!("nothing is started")))
        .map(|target| target.name().to_owned())
}

#[test]
fn a_short_file_is_enough() {
    assert_eq!(read(HEAD), Ok("x".to_owned()));
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    for (more, expected) in [
        ("hue = 1\n", "unknown field `hue`"),
        ("nodes = 65\n", "it is 1 to 64, and not 65"),
        ("nodes = 2\nnodes_min = 3\n", "`nodes_min` is 3: it is 1 to 2"),
        ("reply_seconds = -1.0\n", "`reply_seconds` cannot be -1"),
        (
            "[contract]\nloss = \"often\"\n",
            "unknown variant `often`, expected one of `never`, `session`, `message`",
        ),
        (
            "[[request]]\njson = '{'\n",
            "the request is no JSON: EOF while parsing an object at line 1 column 1",
        ),
        ("[invariants]\n\"two words\" = 'TRUE'\n", "the invariant `two words` needs a name of one word"),
        (
            "[invariants]\nbad = '''\n1 +\n  )'''\n",
            "the invariant `bad` cannot be read: line 7, column 3: syntax error",
        ),
        ("[invariants]\nbad = 'stat[1].x = 2'\n", "the invariant `bad` cannot be read: line 6, column 8:"),
    ] {
        let error = read(&format!("{HEAD}{more}")).expect_err(more);
        assert!(error.contains(expected), "{more}: {error}");
    }
    assert!(
        read("version = 2\n[target]\nname = \"x\"\ncommand = [\"x\"]\n")
            .is_err_and(|e| e.contains("version 1"))
    );
    assert!(
        read("version = 1\n[target]\nname = \"x\"\ncommand = []\n")
            .is_err_and(|e| e.contains("names no program"))
    );
    let library =
        |more: &str| read(&format!("version = 1\n[target]\nname = \"x\"\nlibrary = \"x.so\"\n{more}"));
    assert_eq!((library(""), library("isolated = true\n")), (Ok("x".to_owned()), Ok("x".to_owned())));
    assert!(
        library("memory_mib = 3\n")
            .is_err_and(|e| e.contains("line 4, column 12: `encoding`, `reply_seconds`"))
    );
    let error = read("version = 1\n[target\n").expect_err("it is no TOML");
    assert!(error.contains("line 2"), "{error}");
}
