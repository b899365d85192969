//! Hands text from the thread that encodes it to the one that writes it, block by block.

use std::sync::mpsc::{self, SyncSender};

use crate::engine::reason::Reason;
use crate::engine::store::StoreError;

/// Bytes of a block: few enough for a near cache, enough for a write.
const BLOCK: usize = if cfg!(test) { 16 } else { 256 * 1024 }; // tests fill some
/// How many blocks wait at most: what is encoded ahead of a slow disk.
const WAITING: usize = 4;

/// `None` ends the text.
type Block = Option<Vec<u8>>;

/// The encoding side. Dropped before [`Sender::end`], the text counts as lost.
pub(super) struct Sender {
    block: Vec<u8>,
    blocks: SyncSender<Block>,
}

/// The writing side. Once it is dropped, nothing waits for it any more.
pub(super) struct Receiver(mpsc::Receiver<Block>);

/// Both sides.
pub(super) fn channel() -> (Sender, Receiver) {
    let (blocks, receiver) = mpsc::sync_channel(WAITING);
    (Sender { block: Vec::new(), blocks }, Receiver(receiver))
}

impl Sender {
    /// Sends what follows. Waits where too much is under way already.
    pub(super) fn push(&mut self, piece: &str) {
        if self.block.len() + piece.len() > BLOCK {
            self.send();
        }
        if self.block.capacity() == 0 {
            self.block.reserve(BLOCK.max(piece.len()));
        }
        self.block.extend_from_slice(piece.as_bytes());
    }

    /// Says that the text is whole.
    pub(super) fn end(mut self) {
        self.send();
        // A writer that is gone has said why.
        let _ = self.blocks.send(None);
    }

    fn send(&mut self) {
        let _ = self.blocks.send(Some(std::mem::take(&mut self.block)));
    }
}

impl Receiver {
    /// Gives the text, block by block.
    pub(super) fn each(self, mut visit: impl FnMut(&[u8]) -> Result<(), StoreError>) -> Result<(), StoreError> {
        loop {
            match self.0.recv() {
                Ok(Some(block)) => visit(&block)?,
                Ok(None) => return Ok(()),
                Err(mpsc::RecvError) => return Err(StoreError::Unavailable(Reason::Aborted)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn what_is_sent_arrives_whole_and_in_order() {
        let pieces: Vec<String> = (0..500).map(|i| "한".repeat(i % 40)).collect();
        let (mut sender, receiver) = channel();
        let mut arrived = Vec::new();
        thread::scope(|scope| {
            scope.spawn(|| {
                pieces.iter().for_each(|piece| sender.push(piece));
                sender.end();
            });
            receiver.each(|block| {
                arrived.extend_from_slice(block);
                Ok(())
            })
        })
        .expect("it ends");
        assert_eq!(arrived, pieces.concat().into_bytes());
    }

    #[test]
    fn text_that_breaks_off_is_not_taken_for_the_whole() {
        let (mut sender, receiver) = channel();
        sender.push("the beginning");
        sender.send();
        drop(sender);
        assert_eq!(receiver.each(|_| Ok(())), Err(StoreError::Unavailable(Reason::Aborted)));
    }

    #[test]
    fn nobody_waits_for_a_writer_that_gave_up() {
        let (mut sender, receiver) = channel();
        drop(receiver);
        (0..100 * WAITING).for_each(|_| sender.push("more than is ever under way"));
        sender.end();
    }
}
