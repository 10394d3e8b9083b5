//! A TCP proxy for tests: between a store and its server, it cuts, holds or turns connections.
//!
//! It knows where requests and replies end, so a test says which request a fault
//! meets: the third one, or the first that holds a word; and whether the server still
//! executes it. Nothing here waits for time: what is held is let go by the test.

mod framing;
mod link;
mod plan;
mod resp;

use std::sync::Arc;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use crate::backend::Setup;
pub use framing::Framing;
use link::Link;
use plan::Plans;
pub use plan::{Act, Chosen, Planned};

/// How the proxy treats all connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Everything is passed on.
    Pass,
    /// Connections are accepted and stay open; what arrives is kept until [`Manner::Pass`].
    Silent,
    /// A new connection is closed at once; those that exist go on.
    Refuse,
}

/// What every connection looks at.
#[derive(Debug, Clone)]
struct Course {
    manner: Manner,
    /// Where new connections go.
    server: String,
    /// Connections of an older round end.
    round: u64,
}

/// A proxy on a loopback port of its own; dropped, it ends with all its connections.
#[derive(Debug)]
pub struct Proxy {
    address: String,
    course: watch::Sender<Course>,
    plans: Arc<Plans>,
    accepting: JoinHandle<()>,
}

impl Proxy {
    /// A proxy in front of `server`, an address such as `127.0.0.1:6379`.
    pub async fn to(server: &str, framing: Framing) -> Setup<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?.to_string();
        let (course, seen) = watch::channel(Course {
            manner: Manner::Pass,
            server: server.to_owned(),
            round: 0,
        });
        let plans = Arc::new(Plans::default());
        let accept = Accept {
            course: seen,
            silence: course.clone(),
            plans: Arc::clone(&plans),
            framing,
        };
        Ok(Self {
            address,
            course,
            plans,
            accepting: tokio::spawn(accept.run(listener)),
        })
    }

    /// Where clients connect.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Treats all connections so from now on.
    pub fn be(&self, manner: Manner) {
        self.course.send_modify(|course| course.manner = manner);
    }

    /// Sends new connections to another server; those that exist stay where they are.
    pub fn point_at(&self, server: &str) {
        self.course
            .send_modify(|course| server.clone_into(&mut course.server));
    }

    /// Ends every connection that exists.
    pub fn cut_all(&self) {
        self.course.send_modify(|course| course.round += 1);
    }

    /// Does `act` once, to the first request from now on that is `chosen`.
    pub fn plan(&self, chosen: Chosen, act: Act) -> Planned {
        self.plans.add(chosen, act)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // The connections are owned by this task.
        self.accepting.abort();
    }
}

struct Accept {
    course: watch::Receiver<Course>,
    silence: watch::Sender<Course>,
    plans: Arc<Plans>,
    framing: Framing,
}

impl Accept {
    async fn run(self, listener: TcpListener) {
        let mut links = JoinSet::new();
        loop {
            tokio::select! {
                accepted = listener.accept() => {
                    let Ok((client, _)) = accepted else { return };
                    let course = self.course.borrow().clone();
                    if course.manner != Manner::Refuse {
                        links.spawn(self.link(client, course));
                    }
                }
                Some(_) = links.join_next() => {}
            }
        }
    }

    fn link(&self, client: TcpStream, course: Course) -> impl Future<Output = ()> + use<> {
        let (watched, silence) = (self.course.clone(), self.silence.clone());
        let (plans, framing) = (Arc::clone(&self.plans), self.framing);
        async move {
            // A server that cannot be reached looks like one that closes the connection.
            if let Ok(server) = TcpStream::connect(&course.server).await {
                let link = Link::new(client, server, framing, plans, silence);
                // An end of either side ends both.
                let _ = link.run(watched, course.round).await;
            }
        }
    }
}

#[cfg(test)]
mod tests;
