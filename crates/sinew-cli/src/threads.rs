//! Thread pools, with a fallback if threads cannot be started.

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// Runs `work` with a thread per processor. If threads cannot be started, as under a process limit, it runs on the
/// calling thread.
pub(crate) fn with_all<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    match build(0) {
        Ok(pool) => pool.install(work),
        Err(_) => {
            // Without its own pool, the first use of the global one would try to start threads again, and panic.
            let alone = ThreadPoolBuilder::new().num_threads(1);
            let _ = alone.use_current_thread().build_global();
            work()
        }
    }
}

/// Runs `work` with `jobs` threads if given and possible, otherwise with the current ones.
pub(crate) fn with_jobs<R: Send>(jobs: Option<usize>, work: impl FnOnce() -> R + Send) -> R {
    match jobs.map(build) {
        Some(Ok(pool)) => pool.install(work),
        _ => work(),
    }
}

fn build(threads: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(threads).build()
}
