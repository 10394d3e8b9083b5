//! The scripts, put together: the first line of a file, what they share, the rest.
//!
//! A script without flags is refused when the server is at its memory limit; one that
//! frees memory, or keeps what is there alive, is allowed above it.

use std::sync::LazyLock;

use redis::Cmd;

/// What every script may use, in the order in which it is defined.
const SHARED: [&str; 4] = [
    include_str!("../scripts/lib/text.lua"),
    include_str!("../scripts/lib/keys.lua"),
    include_str!("../scripts/lib/rows.lua"),
    include_str!("../scripts/lib/step.lua"),
];

const TAKE: &str = include_str!("../scripts/lib/take.lua");
const FINISH: &str = include_str!("../scripts/lib/finish.lua");

/// The first line of a script that runs above the memory limit.
const ALLOW_OOM: &str = "#!lua flags=allow-oom";

/// Every operation, by its file's name.
#[derive(Debug)]
pub(crate) struct Scripts {
    pub(crate) open: Script,
    pub(crate) submit: Script,
    pub(crate) stage: Script,
    pub(crate) enter: Script,
    pub(crate) renew: Script,
    pub(crate) reap: Script,
    pub(crate) take: Script,
    pub(crate) finish: Script,
    /// The same for answers without an outcome, which need little room and make more.
    pub(crate) park: Script,
    pub(crate) turn: Script,
    pub(crate) cancel: Script,
    pub(crate) touch: Script,
    pub(crate) sweep: Script,
    pub(crate) evict: Script,
    pub(crate) job: Script,
    pub(crate) targets: Script,
    pub(crate) list: Script,
    pub(crate) stats: Script,
    pub(crate) kinds: Script,
    pub(crate) sessions: Script,
    pub(crate) mark: Script,
}

/// Read once: a script is known to servers by the digest of its text.
pub(crate) static SCRIPTS: LazyLock<Scripts> = LazyLock::new(|| {
    let finish = include_str!("../scripts/finish.lua");
    Scripts {
        open: script(include_str!("../scripts/open.lua"), &[]),
        submit: script(include_str!("../scripts/submit.lua"), &[]),
        stage: script(include_str!("../scripts/stage.lua"), &[]),
        enter: script(include_str!("../scripts/enter.lua"), &[]),
        renew: script(include_str!("../scripts/renew.lua"), &[]),
        reap: script(include_str!("../scripts/reap.lua"), &[]),
        take: script(include_str!("../scripts/take.lua"), &[TAKE]),
        finish: script(finish, &[FINISH]),
        park: script(&finish.replacen("#!lua", ALLOW_OOM, 1), &[FINISH]),
        turn: script(include_str!("../scripts/turn.lua"), &[FINISH, TAKE]),
        cancel: script(include_str!("../scripts/cancel.lua"), &[]),
        touch: script(include_str!("../scripts/touch.lua"), &[]),
        sweep: script(include_str!("../scripts/sweep.lua"), &[]),
        evict: script(include_str!("../scripts/evict.lua"), &[]),
        job: script(include_str!("../scripts/job.lua"), &[]),
        targets: script(include_str!("../scripts/targets.lua"), &[]),
        list: script(include_str!("../scripts/list.lua"), &[]),
        stats: script(include_str!("../scripts/stats.lua"), &[]),
        kinds: script(include_str!("../scripts/kinds.lua"), &[]),
        sessions: script(include_str!("../scripts/sessions.lua"), &[]),
        mark: script(include_str!("../scripts/mark.lua"), &[]),
    }
});

fn script(own: &str, more: &[&str]) -> Script {
    let (flags, body) = own.split_once('\n').unwrap_or((own, ""));
    let mut parts = vec![flags];
    parts.extend(SHARED);
    parts.extend(more);
    parts.push(body);
    Script::new(&parts.join("\n"))
}

/// A script, by its text and by the digest under which a server knows it.
#[derive(Debug)]
pub(crate) struct Script {
    text: String,
    digest: String,
}

impl Script {
    fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            digest: redis::Script::new(text).get_hash().to_owned(),
        }
    }

    /// Runs it on a server that was told it before.
    pub(crate) fn by_digest(&self, prefix: &str, args: &[String]) -> Cmd {
        call("EVALSHA", &self.digest, prefix, args)
    }

    /// Tells the server and runs it, in one step: it cannot be forgotten in between.
    pub(crate) fn by_text(&self, prefix: &str, args: &[String]) -> Cmd {
        call("EVAL", &self.text, prefix, args)
    }
}

fn call(command: &str, script: &str, prefix: &str, args: &[String]) -> Cmd {
    let mut call = redis::cmd(command);
    call.arg(script).arg(1).arg(prefix).arg(args);
    call
}
