//! The scripts, put together: the first line of a file, what they share, the rest.
//!
//! A script without flags is refused when the server is at its memory limit; one that
//! frees memory, or keeps what is there alive, is allowed above it.

use std::sync::LazyLock;

use crate::keys;

const TEXT: &str = include_str!("../scripts/lib/text.lua");
const ROWS: &str = include_str!("../scripts/lib/rows.lua");
const STEP: &str = include_str!("../scripts/lib/step.lua");
const TAKE: &str = include_str!("../scripts/lib/take.lua");
const FINISH: &str = include_str!("../scripts/lib/finish.lua");

/// The first line of a script that runs above the memory limit.
const ALLOW_OOM: &str = "#!lua flags=allow-oom";

/// A script as a server gets it, and the digest by which it is known there.
#[derive(Debug)]
pub(crate) struct Script {
    text: String,
    hash: String,
}

impl Script {
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn hash(&self) -> &str {
        &self.hash
    }
}

/// Every operation, by its file's name.
#[derive(Debug)]
pub(crate) struct Scripts {
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

impl Scripts {
    pub(crate) fn all(&self) -> [&Script; 20] {
        [
            &self.submit,
            &self.stage,
            &self.enter,
            &self.renew,
            &self.reap,
            &self.take,
            &self.finish,
            &self.park,
            &self.turn,
            &self.cancel,
            &self.touch,
            &self.sweep,
            &self.evict,
            &self.job,
            &self.targets,
            &self.list,
            &self.stats,
            &self.kinds,
            &self.sessions,
            &self.mark,
        ]
    }
}

/// Read once: a script is known to servers by the digest of its text.
pub(crate) static SCRIPTS: LazyLock<Scripts> = LazyLock::new(|| {
    let finish = include_str!("../scripts/finish.lua");
    Scripts {
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

/// A script of its own text, after what every script may use, and what more it asks for.
fn script(own: &str, more: &[&str]) -> Script {
    let (flags, body) = own.split_once('\n').unwrap_or((own, ""));
    let keys = keys::lua();
    let mut parts = vec![flags, TEXT, &keys, ROWS, STEP];
    parts.extend(more);
    parts.push(body);
    let text = parts.join("\n");
    let hash = redis::Script::new(&text).get_hash().to_owned();
    Script { text, hash }
}
