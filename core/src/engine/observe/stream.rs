//! Waits for the next answer in an asynchronous task.

use super::LiveQuery;
use crate::api::Answer;
use crate::error::public::Result;
use crate::platform::HAS_THREADS;
use crate::store::Wake;
use futures_core::Stream;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// The answers of a [`LiveQuery`] as a `Stream` of the crate `futures-core`. It does not depend
/// on an asynchronous runtime: a thread of the engine wakes the task when another day begins.
#[derive(Debug)]
pub struct Answers(LiveQuery);

impl LiveQuery {
    /// Converts the live query to a `Stream` for asynchronous tasks. It ends with the engine.
    ///
    /// ```
    /// # async fn show() -> rollbook::Result<()> {
    /// use rollbook::{Engine, Grades, Options};
    /// use std::{future::poll_fn, pin::Pin};
    /// use futures_core::Stream;
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// let mut grades = engine.observe(Grades { school: 1, grade_id: None }).stream();
    /// // `grades.next().await` with the traits of `futures` or `tokio-stream`.
    /// while let Some(answer) = poll_fn(|task| Pin::new(&mut grades).poll_next(task)).await {
    ///     assert_eq!(answer?.status.code, 404);
    ///     engine.close()?;
    /// }
    /// # Ok(())
    /// # }
    /// # let mut shown = std::pin::pin!(show());
    /// # let task = &mut std::task::Context::from_waker(std::task::Waker::noop());
    /// # assert!(matches!(std::future::Future::poll(shown.as_mut(), task), std::task::Poll::Ready(Ok(()))));
    /// ```
    pub fn stream(self) -> Answers {
        Answers(self)
    }
}

impl Stream for Answers {
    type Item = Result<Answer>;

    fn poll_next(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Result<Answer>>> {
        let live_query = &mut self.get_mut().0;
        let waker = task.waker().clone();
        let call: Wake = Arc::new(move || waker.wake_by_ref());
        // The callback is set before the poll, so that no later change is missed.
        live_query.watch.on_change(Some(call.clone()));
        if let Some(result) = live_query.poll() {
            return Poll::Ready(Some(result));
        }
        if live_query.is_over() || !HAS_THREADS {
            return Poll::Ready(None);
        }
        if live_query.next_look().is_some()
            && let Err(error) = live_query.set_timer_callback(call)
        {
            return Poll::Ready(Some(Err(error.into())));
        }
        Poll::Pending
    }
}
