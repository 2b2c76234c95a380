//! Work on many things at once, with the results in their order.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Deep nesting in SQL recurses in its parser: as much as the main thread has.
const STACK: usize = 256 << 20;

/// More than these only wait for each other.
const MOST: usize = 16;

/// How many threads the machine has for us.
pub(super) fn threads() -> usize {
    thread::available_parallelism().map_or(1, std::num::NonZero::get).min(MOST)
}

/// Does the work for every item. With one thread, and where no more can be had, on the caller's.
pub(super) fn in_order<'i, T: Sync, R: Send>(
    items: &'i [T],
    threads: usize,
    work: impl Fn(&'i T) -> R + Sync,
) -> Vec<R> {
    if threads < 2 || items.len() < 2 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        while let Some((number, item)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|n| Some((n, items.get(n)?)))
        {
            done.push((number, work(item)));
        }
        done
    };
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads.min(items.len()))
            .filter_map(|_| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, take).ok())
            .collect();
        let mut done = take();
        done.extend(helpers.into_iter().flat_map(|helper| helper.join().unwrap_or_default()));
        for (number, result) in done {
            results[number] = Some(result);
        }
    });
    // What a thread that broke had taken is done here, where it breaks again in the open.
    results.into_iter().zip(items).map(|(result, item)| result.unwrap_or_else(|| work(item))).collect()
}

/// Runs work that must not take the others down with it; the fault is what the panic said.
pub(super) fn guarded<R>(work: impl FnOnce() -> R) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let said = panic.downcast_ref::<&str>().map(|said| (*said).to_owned());
        said.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::{guarded, in_order};

    #[test]
    fn results_stand_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..1000).collect();
        for threads in [1, 2, 7, 5000] {
            let doubled = in_order(&items, threads, |item| {
                if item % 97 == 0 {
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
                item * 2
            });
            assert_eq!(doubled, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        }
        assert_eq!(in_order(&[] as &[usize], 4, |item| *item), [] as [usize; 0]);
    }

    #[test]
    fn a_panic_becomes_its_message() {
        assert_eq!(guarded(|| 1), Ok(1));
        assert_eq!(guarded(|| -> usize { panic!("it broke at {}", 7) }), Err("it broke at 7".to_owned()));
    }
}
