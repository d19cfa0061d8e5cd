//! Scopes: safe code enqueues work in streams, and cannot leave before the work is done.

mod end;
mod stream;
mod streams;
mod watch;

use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;

use crate::event::Awaited;
use crate::{Error, Stream};

use end::End;
pub use stream::ScopedStream;
use streams::{Busy, Streams};
use watch::Watch;

/// `cuStreamSynchronize`: runs a function that enqueues work in streams, and then waits until all of it is done.
///
/// This is [`std::thread::scope`] for a device. What the work uses is borrowed until the scope has ended: memory on the
/// device, values on the host, events and kernels. So none of it can be freed, and a host slice that is read into cannot
/// be touched, while a stream may still use it. Create host values before the scope, and read results after it.
/// The function returns this crate's [`Error`]. Code with other errors belongs outside the scope.
///
/// ```no_run
/// use cuda_ipc::event::InterprocessEvent;
/// use cuda_ipc::{DeviceBuffer, Error, Stream, stream};
///
/// # fn of(context: &cuda_ipc::Context) -> Result<(), Error> {
/// let (copies, work) = (Stream::non_blocking(context)?, Stream::non_blocking(context)?);
/// let copied = InterprocessEvent::new(context)?;
/// let (from, to) = (DeviceBuffer::new(context, 4096)?, DeviceBuffer::new(context, 4096)?);
/// let mut result = [0_f32; 3];
/// stream::scope(|scope| {
///     let (copies, work) = (scope.on(&copies), scope.on(&work));
///     copies.write(from.slice(..3)?, &[1.0_f32, 2.0, 3.0])?;
///     copies.record(&copied)?;
///     work.wait(&copied)?;
///     work.copy(to.slice::<f32>(..3)?, from.slice(..3)?)?;
///     work.read(to.slice(..3)?, &mut result)
/// })?;
/// assert_eq!(result, [1.0, 2.0, 3.0]);
/// # Ok(())
/// # }
/// ```
///
/// One scope serves any number of streams, of any contexts. It waits for each stream that [`Scope::on`] was called for,
/// also for work that was enqueued in it before. A scope inside another one waits too, so do not open one while a stream
/// waits for work that the outer scope enqueues later.
///
/// If the function panics, the scope waits as well, and then the panic continues. A wait for an event or a number that
/// never comes makes the scope wait for ever, which is safe. [`scope_watching`] ends with the process that is awaited.
///
/// Any call may block until the driver has room for more work in the stream. So enqueue only a limited amount of work
/// behind a wait.
///
/// # Errors
/// The function's error; otherwise [`Error::Refused`] with the error of the streams' work, if it failed. If both failed,
/// the second error goes to the hook of [`set_drop_hook`](crate::set_drop_hook).
///
/// A failure of the device ends all work of the process, so nothing is used after that error. If waiting fails in any
/// other way, it is not known whether the device still writes to what was borrowed. The scope then waits for the whole
/// context. If that fails in such a way too, it aborts the process with a message.
#[doc(alias = "cuStreamSynchronize")]
pub fn scope<'env, F, R>(run: F) -> Result<R, Error>
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> Result<R, Error>,
{
    run_watching(None, run)
}

/// `cuStreamQuery` in a loop: runs a function as [`scope`] does, but stops waiting for another process when that
/// process has died.
///
/// If the process dies before it has written the numbers that the scope's streams wait for, the scope writes them
/// itself, and the streams continue. Work after such a wait then runs without the work that it waited for, and the
/// number has a value that the process did not write. So [`ScopedStream::wait_value`] needs write access to the number
/// here. Let the numbers be counters that only grow: a wait counts as over if the number meets its condition when the
/// process has died. Waits for events cannot be ended. To wait for a process that may die, use numbers.
///
/// In this scope, copies from and to ordinary host memory begin when the stream's earlier work is done, and the call
/// waits for that. So do copies within host memory, such as between two [`SharedPages`](crate::host::SharedPages). The
/// driver would wait too, but without watching the process. Copies between a
/// [`PinnedBuffer`](crate::host::PinnedBuffer) or shared pages and the device do not wait.
///
/// # Errors
/// As [`scope`]; [`Error::PeerDied`] if the process died before it had written a number that a stream waited for.
#[doc(alias = "cuStreamQuery")]
pub fn scope_watching<'env, F, R>(process: &'env dyn Awaited, run: F) -> Result<R, Error>
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> Result<R, Error>,
{
    run_watching(Some(process), run)
}

fn run_watching<'env, F, R>(process: Option<&'env dyn Awaited>, run: F) -> Result<R, Error>
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> Result<R, Error>,
{
    let used = Used { streams: RefCell::default(), busy: Busy::default(), watch: process.map(Watch::new) };
    let scope = Scope { used, env: PhantomData };
    // If the function panics, dropping this waits.
    let end = End::of(&scope.used);
    let answer = run(&scope);
    end.wait(answer)
}

/// Takes streams into a [`scope()`].
///
/// `'scope` lasts until the scope has waited, and `'env` is the longer lifetime of what exists outside it. The compiler
/// can shorten neither. Otherwise a handle could live longer than its scope, and enqueue work that nothing waits for.
pub struct Scope<'scope, 'env: 'scope> {
    used: Used<'scope>,
    env: PhantomData<&'env mut &'env ()>,
}

/// What a scope waits for.
///
/// The cell makes `'scope` invariant, so that neither a [`Scope`] nor a [`ScopedStream`] can pretend that it ends before
/// the wait. Otherwise, work could borrow what is dropped before the wait.
struct Used<'scope> {
    streams: RefCell<Streams<'scope>>,
    busy: Busy,
    watch: Option<Watch<'scope>>,
}

impl<'scope, 'env> Scope<'scope, 'env> {
    /// Returns a handle through which safe code enqueues work in a stream. The scope waits for the stream at its end.
    ///
    /// If other code is capturing the stream into a graph, the handle enqueues nothing, even after the capture has ended,
    /// and the scope does not wait: nothing can wait for a stream that is being captured.
    pub fn on(&'scope self, stream: &'scope Stream) -> ScopedStream<'scope, 'env> {
        let place = (!stream.is_captured()).then(|| self.used.streams.borrow_mut().add(stream));
        ScopedStream::new(self, stream, place)
    }
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").field("streams", &self.used.streams).finish_non_exhaustive()
    }
}

impl Stream {
    /// `cuStreamSynchronize`: runs a function that enqueues work in this stream, and then waits until it is done. This
    /// is [`scope()`] for one stream.
    ///
    /// # Errors
    /// As [`scope()`].
    #[doc(alias = "cuStreamSynchronize")]
    pub fn scope<'env, F, R>(&'env self, run: F) -> Result<R, Error>
    where
        F: for<'scope> FnOnce(ScopedStream<'scope, 'env>) -> Result<R, Error>,
    {
        scope(|scope| run(scope.on(self)))
    }
}
