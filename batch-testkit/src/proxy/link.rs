//! One connection through the proxy: requests one way, replies the other.
//!
//! Whole requests and replies are passed on, so that a fault never tears one apart.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::watch;

use super::framing::Framing;
use super::plan::{Act, Due, Plans};
use super::{Course, Manner};

/// Whether a connection goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Goes {
    On,
    /// All connections fell silent.
    Still,
    /// A fault cuts it.
    Cut,
}

pub(super) struct Link {
    client: TcpStream,
    server: TcpStream,
    framing: Framing,
    plans: Arc<Plans>,
    silence: watch::Sender<Course>,
    requests: Vec<u8>,
    replies: Vec<u8>,
    /// Requests passed on whose reply has not come.
    owed: u64,
    /// What is done instead of passing on the reply of the last request.
    after: Option<Due>,
}

impl Link {
    pub(super) fn new(
        client: TcpStream,
        server: TcpStream,
        framing: Framing,
        plans: Arc<Plans>,
        silence: watch::Sender<Course>,
    ) -> Self {
        Self {
            client,
            server,
            framing,
            plans,
            silence,
            requests: Vec::new(),
            replies: Vec::new(),
            owed: 0,
            after: None,
        }
    }

    /// Passes on until a side, the test or a fault ends it.
    pub(super) async fn run(
        mut self,
        mut course: watch::Receiver<Course>,
        round: u64,
    ) -> io::Result<()> {
        loop {
            let now = course.borrow_and_update().clone();
            if now.round != round {
                return Ok(());
            }
            let open = now.manner != Manner::Silent;
            if open && self.pass().await? == Goes::Cut {
                return Ok(());
            }
            // After the last request nothing else may reach the server.
            let asking = open && self.after.is_none();
            let read = tokio::select! {
                changed = course.changed() => match changed {
                    Ok(()) => 1,
                    Err(_) => 0,
                },
                read = self.client.read_buf(&mut self.requests), if asking => read?,
                read = self.server.read_buf(&mut self.replies), if open => read?,
            };
            if read == 0 {
                return Ok(());
            }
        }
    }

    /// Passes on every whole message that is there, until a fault.
    async fn pass(&mut self) -> io::Result<Goes> {
        let mut goes = self.pass_replies().await?;
        while goes == Goes::On
            && self.after.is_none()
            && let Some(frame) = self.framing.request(&self.requests)
        {
            let request = self.requests.drain(..frame.len).collect();
            goes = self.pass_request(request, frame.paired).await?;
        }
        Ok(goes)
    }

    async fn pass_replies(&mut self) -> io::Result<Goes> {
        while let Some(frame) = self.framing.reply(&self.replies) {
            let reply: Vec<u8> = self.replies.drain(..frame.len).collect();
            self.owed = self.owed.saturating_sub(u64::from(frame.paired));
            let is_last = frame.paired && self.owed == 0;
            match self.after.take_if(|due| is_last && !due.is_answer()) {
                Some(due) => return Ok(self.fail_after(due, reply)),
                None => self.client.write_all(&reply).await?,
            }
        }
        self.answer().await?;
        Ok(Goes::On)
    }

    async fn pass_request(&mut self, request: Vec<u8>, paired: bool) -> io::Result<Goes> {
        match self.plans.meet(&request) {
            Some(due) if due.is_before() => return Ok(self.fail_before(due, request)),
            Some(due) if due.is_answer() => {
                self.after = Some(due);
                self.answer().await?;
                return Ok(Goes::On);
            }
            Some(due) if due.act == Act::Note => due.tell(),
            after => self.after = after,
        }
        self.owed += u64::from(paired);
        self.server.write_all(&request).await?;
        Ok(Goes::On)
    }

    /// Replies in the server's place, once it has replied to all that was asked before.
    async fn answer(&mut self) -> io::Result<()> {
        let is_free = self.owed == 0;
        if let Some(due) = self.after.take_if(|due| is_free && due.is_answer()) {
            if let Act::Answer(reply) = &due.act {
                self.client.write_all(reply.as_bytes()).await?;
            }
            due.tell();
        }
        Ok(())
    }

    fn fail_before(&mut self, due: Due, request: Vec<u8>) -> Goes {
        let goes = if due.act == Act::CutBefore {
            Goes::Cut
        } else {
            // It arrives when the silence ends.
            self.requests.splice(..0, request);
            self.fall_silent();
            Goes::Still
        };
        due.tell();
        goes
    }

    fn fail_after(&mut self, due: Due, reply: Vec<u8>) -> Goes {
        let goes = if due.act == Act::CutAfter {
            Goes::Cut
        } else {
            self.replies.splice(..0, reply);
            self.owed += 1;
            self.fall_silent();
            Goes::Still
        };
        due.tell();
        goes
    }

    fn fall_silent(&self) {
        self.silence
            .send_modify(|course| course.manner = Manner::Silent);
    }
}
