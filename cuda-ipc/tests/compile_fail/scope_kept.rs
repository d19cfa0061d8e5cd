//! A handle that outlived its scope could enqueue work that nothing waits for.

use cuda_ipc::stream::{self, Scope, ScopedStream};
use cuda_ipc::Stream;

fn main() {}

fn return_the_handle(stream: &Stream) {
    let _ = stream::scope(|scope| Ok(scope.on(stream)));
}

fn store_the_handle(stream: &Stream) {
    let mut kept = None;
    let _ = stream.scope(|stream| {
        kept = Some(stream);
        Ok(())
    });
}

// Nor does a handle become one of a shorter scope, whose work could borrow what is dropped before the wait.
fn shorten<'long: 'short, 'short, 'env>(stream: ScopedStream<'long, 'env>) -> ScopedStream<'short, 'env> {
    stream
}

fn lengthen<'scope, 'long: 'short, 'short: 'scope>(
    scope: &'scope Scope<'scope, 'short>,
) -> &'scope Scope<'scope, 'long> {
    scope
}
