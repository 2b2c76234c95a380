//! A session that works in a thread of its own, so that another can go on while it waits for a lock, and so that it can be
//! killed in the middle of a statement.

use super::{Engine, Stopper};
use anyhow::{Context as _, Result};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
pub use std::time::{Duration, Instant};

/// What became of a statement.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Fine, or the engine's message.
    pub outcome: Result<(), String>,
    /// How long the engine took.
    pub took: Duration,
}

/// What a hand is asked to do.
enum Ask {
    Run(String),
    Rollback,
}

/// A session in a thread.
pub struct Hand {
    asks: Option<Sender<Ask>>,
    answers: Receiver<Answer>,
    thread: Option<JoinHandle<()>>,
    stopper: Option<Stopper>,
    busy: bool,
}

impl Hand {
    /// Gives a session a thread. `stopper` is what kills it, where that is wanted.
    pub fn new(mut session: Box<dyn Engine>, stopper: Option<Stopper>) -> Self {
        let (asks, work) = channel();
        let (report, answers) = channel();
        let thread = thread::spawn(move || {
            for ask in work {
                let start = Instant::now();
                let outcome = match ask {
                    Ask::Run(statement) => session.execute(&statement),
                    Ask::Rollback => session.rollback(),
                };
                let answer = Answer { outcome: outcome.map_err(|fault| format!("{fault:#}")), took: start.elapsed() };
                if report.send(answer).is_err() {
                    break;
                }
            }
        });
        Self { asks: Some(asks), answers, thread: Some(thread), stopper, busy: false }
    }

    /// Begins a statement and does not wait for it.
    pub fn start(&mut self, statement: &str) -> Result<()> {
        self.ask(Ask::Run(statement.to_owned()))
    }

    /// True when the last statement has not been answered yet.
    pub fn is_busy(&self) -> bool {
        self.busy
    }

    /// The answer to the statement that was begun, when it comes within that time.
    pub fn wait(&mut self, at_most: Duration) -> Result<Option<Answer>> {
        match self.answers.recv_timeout(at_most) {
            Ok(answer) => {
                self.busy = false;
                Ok(Some(answer))
            }
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => anyhow::bail!("the session's thread has ended"),
        }
    }

    /// Ends the open transaction without its writes. What that itself answers does not matter: there may be none.
    pub fn rollback(&mut self, at_most: Duration) -> Result<()> {
        self.ask(Ask::Rollback)?;
        self.wait(at_most).map(|_| ())
    }

    /// Kills the session, in the middle of its statement if it has one.
    pub fn stop(&mut self) -> Result<()> {
        self.stopper.take().map_or(Ok(()), |stop| stop())
    }

    fn ask(&mut self, ask: Ask) -> Result<()> {
        self.busy = true;
        self.asks.as_ref().and_then(|asks| asks.send(ask).ok()).context("the session's thread has ended")
    }
}

impl Drop for Hand {
    fn drop(&mut self) {
        self.asks = None;
        // A thread that waits for a lock for ever is left behind rather than waited for.
        if !self.busy
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;
    use crate::engine::open;

    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn a_hand_answers_and_tells_errors() {
        let database = open("sqlite:").unwrap();
        let mut hand = Hand::new(database.session().unwrap(), None);
        hand.start("CREATE TABLE t (k INTEGER)").unwrap();
        assert!(hand.wait(LONG).unwrap().unwrap().outcome.is_ok());
        hand.start("INSERT INTO nowhere VALUES (1)").unwrap();
        assert!(hand.wait(LONG).unwrap().unwrap().outcome.unwrap_err().contains("nowhere"));
        assert!(!hand.is_busy());
    }

    #[test]
    fn a_stopped_statement_leaves_nothing() {
        let database = open("sqlite:").unwrap();
        let mut session = database.session().unwrap();
        session.execute("CREATE TABLE t (k INTEGER)").unwrap();
        let stopper = session.stopper().unwrap();
        let mut hand = Hand::new(session, Some(stopper));
        hand.start("INSERT INTO t WITH RECURSIVE n (k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n) SELECT k FROM n")
            .unwrap();
        assert!(hand.wait(Duration::from_millis(30)).unwrap().is_none());
        hand.stop().unwrap();
        assert!(hand.wait(LONG).unwrap().unwrap().outcome.is_err());
        drop(hand);
        let mut other = database.session().unwrap();
        assert_eq!(other.query("SELECT count(*) FROM t").unwrap().rows, [[Some("0".to_owned())]]);
    }

    #[test]
    fn one_hand_waits_for_the_other() {
        let database = open("sqlite:").unwrap();
        let mut hands = [(); 2].map(|()| Hand::new(database.session().unwrap(), None));
        for statement in ["CREATE TABLE t (k INTEGER)", "BEGIN IMMEDIATE", "INSERT INTO t VALUES (1)"] {
            hands[0].start(statement).unwrap();
            assert!(hands[0].wait(LONG).unwrap().unwrap().outcome.is_ok());
        }
        hands[1].start("INSERT INTO t VALUES (2)").unwrap();
        assert!(hands[1].wait(Duration::from_millis(20)).unwrap().is_none());
        hands[0].start("COMMIT").unwrap();
        assert!(hands[0].wait(LONG).unwrap().unwrap().outcome.is_ok());
        assert!(hands[1].wait(LONG).unwrap().unwrap().outcome.is_ok());
    }
}
