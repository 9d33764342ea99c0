//! Checks a list with Reacher's check-if-email-exists for npm run bench:peers.
//!
//!     reacher-driver LIST CONNECTIONS_PER_HOST CHECKS_AT_ONCE
//!
//! LIST has lines of address, mail host and further columns, separated by tabs. The library opens one connection per check,
//! so the limit per host is a limit on concurrent checks. Prints address, tab and the library's word (safe, risky, invalid,
//! unknown).

use check_if_email_exists::smtp::verif_method::{
    EverythingElseVerifMethod, VerifMethod, VerifMethodSmtpConfig,
};
use check_if_email_exists::{check_email, CheckEmailInputBuilder, Reachable};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

#[tokio::main]
async fn main() {
    let args: Vec<String> = std::env::args().collect();
    let per_host: usize = args[2].parse().expect("connections per host");
    let slots = Arc::new(Semaphore::new(args[3].parse().expect("checks at once")));
    let list = std::fs::read_to_string(&args[1]).expect("list");

    let mut queues: HashMap<String, VecDeque<String>> = HashMap::new();
    for line in list.lines() {
        let mut columns = line.split('\t').map(String::from);
        let (email, host) = (columns.next().unwrap(), columns.next().unwrap());
        queues.entry(host).or_default().push_back(email);
    }

    let mut walkers = JoinSet::new();
    for queue in queues.into_values() {
        let queue = Arc::new(Mutex::new(queue));
        for _ in 0..per_host {
            walkers.spawn(walk(queue.clone(), slots.clone()));
        }
    }
    let mut out = String::new();
    while let Some(lines) = walkers.join_next().await {
        out += &lines.expect("a check panicked");
    }
    print!("{out}");
}

async fn walk(queue: Arc<Mutex<VecDeque<String>>>, slots: Arc<Semaphore>) -> String {
    let mut lines = String::new();
    loop {
        let Some(email) = queue.lock().unwrap().pop_front() else {
            return lines;
        };
        let _slot = slots.acquire().await.unwrap();
        lines += &format!("{email}\t{}\n", word_for(&email).await);
    }
}

/// Defaults (one retry; no Gravatar, no headless browser, no HaveIBeenPwned), with a time limit like Mailvet's.
async fn word_for(email: &str) -> &'static str {
    let smtp = VerifMethodSmtpConfig {
        hello_name: "prober.test".into(),
        from_email: "probe@prober.test".into(),
        smtp_timeout: Some(Duration::from_secs(30)),
        ..Default::default()
    };
    let input = CheckEmailInputBuilder::default()
        .to_email(email.into())
        .verif_method(VerifMethod {
            everything_else: EverythingElseVerifMethod::Smtp(smtp),
            ..Default::default()
        })
        .build()
        .unwrap();
    match check_email(&input).await.is_reachable {
        Reachable::Safe => "safe",
        Reachable::Risky => "risky",
        Reachable::Invalid => "invalid",
        Reachable::Unknown => "unknown",
    }
}
