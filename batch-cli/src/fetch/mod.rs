//! The two sorts of work: a command per target, or a request over HTTP.

pub(crate) mod body;
pub(crate) mod exec;
mod group;
pub(crate) mod http;
mod output;
pub(crate) mod program;

use std::io;

use rustix::io::Errno;

/// Whether the system lacks something that others give back: processes, memory, open files.
fn is_lack(error: &io::Error) -> bool {
    let lacks = [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE];
    Errno::from_io_error(error).is_some_and(|errno| lacks.contains(&errno))
}
