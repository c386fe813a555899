//! Threads, where they can be started.

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// Does `work` with a thread per processor. Where threads cannot be started, as under a limit of processes, the calling
/// thread does all of it.
pub(crate) fn with_all<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    match build(0) {
        Ok(pool) => pool.install(work),
        Err(_) => {
            // Without a pool of its own, the first use of the global one would try to start threads again, and panic.
            let alone = ThreadPoolBuilder::new().num_threads(1);
            let _ = alone.use_current_thread().build_global();
            work()
        }
    }
}

/// Does `work` with `jobs` threads where that many are asked for and can be started, else with those at hand.
pub(crate) fn with_jobs<R: Send>(jobs: Option<usize>, work: impl FnOnce() -> R + Send) -> R {
    match jobs.map(build) {
        Some(Ok(pool)) => pool.install(work),
        _ => work(),
    }
}

fn build(threads: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(threads).build()
}
