//! Readers that are programs of their own, in `readers/`. `tests/judges/run` installs what they need and says where it is.
//!
//! A text goes to the program's input as one line of JSON, `{"id": 7, "text": "..", "tables": ".."}`, and its answer comes
//! back as one line, `{"id": 7, "faults": [{"line": 1, "text": ".."}]}`. Any other answer, and none, is an error.

use crate::reader::{Fault, Open};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

#[derive(serde::Deserialize)]
struct Answer {
    id: usize,
    faults: Vec<Fault>,
}

/// Ends with its owner.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts `WHAT SCRIPT ARGUMENT..`. What is installed is named by a word: `python`, `node`, `scriptdom`, `modules`.
pub fn open(words: &[&str]) -> Result<Open, String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("readers").join(words[1]);
    let mut command = Command::new(installed(words[0]));
    command.arg(&script);
    command.args(
        words[2..]
            .iter()
            .map(|word| if ["scriptdom", "modules"].contains(word) { installed(word) } else { (*word).to_owned() }),
    );
    start(command)
}

/// Starts a program that answers.
fn start(mut command: Command) -> Result<Open, String> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|fault| format!("{}: {fault}", command.get_program().display()))?;
    let mut input = child.stdin.take().expect("it is piped");
    let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
    let running = Running(child);
    let mut id = 0;
    Ok(Box::new(move |text, tables| {
        let _running = &running;
        id += 1;
        let ask = serde_json::json!({ "id": id, "text": text, "tables": tables });
        writeln!(input, "{ask}").map_err(|fault| format!("it ended before it read everything: {fault}"))?;
        let mut line = String::new();
        output.read_line(&mut line).map_err(|fault| fault.to_string())?;
        if line.is_empty() {
            return Err("it ended before it read everything".to_owned());
        }
        match serde_json::from_str::<Answer>(&line) {
            Ok(answer) if answer.id == id => Ok(answer.faults),
            _ => Err(format!("this is no answer: {}", line.trim_end())),
        }
    }))
}

/// Where something that `tests/judges/run` installs is.
fn installed(what: &str) -> String {
    let variable = format!("IDEMSQL_JUDGES_{}", what.to_uppercase());
    std::env::var(&variable).unwrap_or_else(|_| panic!("{variable} is not set: start this with tests/judges/run"))
}

#[cfg(test)]
mod tests {
    use super::start;
    use std::process::Command;

    /// What a program says when it is asked about one text.
    fn said(program: &str, arguments: &[&str]) -> Result<usize, String> {
        let mut command = Command::new(program);
        command.args(arguments);
        start(command).and_then(|mut open| open("SELECT 1", None)).map(|faults| faults.len())
    }

    #[test]
    fn a_reader_that_does_not_answer_is_an_error() {
        let (right, other) = (r#"{"id": 1, "faults": []}"#, r#"{"id": 2, "faults": []}"#);
        let answer = |text: &str| said("sh", &["-c", &format!("read -r question; echo '{text}'")]);
        assert_eq!(answer(right), Ok(0));
        assert!(answer(other).unwrap_err().contains("no answer"));
        assert!(answer("SELECT 1").unwrap_err().contains("no answer"));
        assert!(said("true", &[]).unwrap_err().contains("ended before"));
        assert!(said("no-such-program", &[]).is_err());
    }
}
