//! What a run asks for, checked before the store is touched.

use std::path::Path;
use std::time::Duration;

use batch_core::id::Kind;
use batch_core::store::call::Halt;
use batch_core::store::call::{Key, KeySpace};
use tokio_util::sync::CancellationToken;

use crate::args;
use crate::exit::{Exit, Failure};
use crate::fetch::exec::Exec;
use crate::fetch::http::Get;
use crate::fetch::program::Program;
use crate::identity::Work;
use crate::joblog::Joblog;
use crate::list::{List, Survey};
use crate::open::Address;

/// What does the work.
#[derive(Debug)]
pub(super) enum Fetcher {
    Command(Exec),
    Get(Get),
}

/// How the targets are tried.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) jobs: Option<u32>,
    pub(super) halt: Option<Halt>,
    pub(super) timeout: Option<Duration>,
    pub(super) retry_wait: Duration,
    pub(super) retry_for: Duration,
    pub(super) max_bytes: Option<u64>,
}

/// What a run asks for.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) address: Address,
    pub(super) list: List,
    pub(super) survey: Survey,
    pub(super) caller: String,
    pub(super) kind: Kind,
    pub(super) note: String,
    pub(super) settings: Settings,
    pub(super) fresh: bool,
    pub(super) retry_failed: bool,
    pub(super) json: bool,
    /// Kills what is running.
    pub(super) kill: CancellationToken,
}

impl Request {
    /// The key that the list gives its job.
    pub(super) fn key(&self) -> Key {
        Key {
            space: KeySpace::Content,
            text: self.survey.digest.clone(),
        }
    }
}

/// Checks the command line and the list. Blocks.
pub(super) fn prepare(args: &args::Run) -> Result<(Request, Fetcher), Failure> {
    if !args.get && !args.http.is_empty() {
        return Err(Failure::usage("options of HTTP need --get"));
    }
    let address = Address::of(args.common.store.as_deref())?;
    let directory = std::env::current_dir()
        .map_err(|error| Failure::input(format!("the working directory is gone: {error}")))?;
    let caller = args.caller.clone().unwrap_or_else(user);
    let work = work(args);
    let program = program(&work)?;
    let list = List::open(&args.file)?;
    let survey = list
        .survey(&caller)
        .map_err(|error| Failure::input(error.to_string()))?;
    if survey.total == 0 {
        return Err(Failure::input(
            "the list is empty: give at least one target",
        ));
    }
    let kill = CancellationToken::new();
    let joblog = args
        .joblog
        .as_deref()
        .filter(|_| !args.dry_run)
        .map(joblog)
        .transpose()?;
    let fetcher = match program {
        Some(program) => Fetcher::Command(Exec {
            program,
            joblog,
            kill: kill.clone(),
        }),
        None => Fetcher::Get(Get::new(&args.http, joblog, kill.clone())?),
    };
    let request = Request {
        address,
        kind: work.kind(&directory, &caller, &survey.digest),
        note: work.note(&directory),
        list,
        survey,
        caller,
        settings: settings(args),
        fresh: args.fresh,
        retry_failed: args.retry_failed,
        json: args.common.json,
        kill,
    };
    Ok((request, fetcher))
}

fn work(args: &args::Run) -> Work {
    if args.get {
        Work::Get(args.http.clone())
    } else {
        Work::Command(args.command.clone())
    }
}

/// The command, if it is one; it must be there.
fn program(work: &Work) -> Result<Option<Program>, Failure> {
    let Work::Command(words) = work else {
        return Ok(None);
    };
    let program = Program::new(words.clone())
        .ok_or_else(|| Failure::usage("the command is empty: give one after --"))?;
    match program.missing(std::env::var_os("PATH").as_deref()) {
        Some(reason) => Err(Failure::usage(reason)),
        None => Ok(Some(program)),
    }
}

fn joblog(path: &Path) -> Result<Joblog, Failure> {
    Joblog::open(path).map_err(|error| {
        Failure::new(
            Exit::BadInput,
            format!("cannot append to {}: {error}", path.display()),
        )
    })
}

fn settings(args: &args::Run) -> Settings {
    Settings {
        jobs: args.jobs,
        halt: args.halt,
        timeout: args.timeout,
        retry_wait: args.retry_wait,
        retry_for: args.retry_for,
        max_bytes: args.max_bytes,
    }
}

/// The user's name: from the environment, else from the system, else the number.
fn user() -> String {
    let named = ["USER", "LOGNAME"]
        .into_iter()
        .find_map(|name| std::env::var_os(name)?.into_string().ok());
    let number = rustix::process::getuid().as_raw().to_string();
    named
        .filter(|name| !name.is_empty())
        .or_else(|| name_of(&number))
        .unwrap_or_else(|| format!("uid-{number}"))
}

fn name_of(number: &str) -> Option<String> {
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let mut users = users
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>());
    let user = users.find(|fields| fields.get(2) == Some(&number))?;
    user.first().map(|name| (*name).to_owned())
}
