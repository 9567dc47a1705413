//! Tests of `decoded_cache`.

use crate::store::blocks::collection::Collection;
use crate::store::transaction::decoded_cache::*;

fn key(school: u64, form: u64) -> DecodedKey {
    DecodedKey::new::<u32>(form, Partition::new(school, Collection::Learners))
}

fn number(decoded_cache: &DecodedCache, key: DecodedKey, sources: Sources, fresh: u32) -> u32 {
    decoded_cache
        .get(key, sources, || Ok((fresh, 100)))
        .map_or(0, |value| *value)
}

#[test]
fn a_value_is_cached_until_one_of_its_sources_changes() {
    let learners = Sources::new(&[Collection::Learners, Collection::Schools]);
    let decoded_cache = DecodedCache::new(1 << 20, 0);
    assert_eq!(number(&decoded_cache, key(1, 0), learners, 1), 1);
    assert_eq!(number(&decoded_cache, key(1, 0), learners, 2), 1);
    assert_eq!(
        number(&decoded_cache, key(1, 1), Sources::INTEGRATORS, 7),
        7
    );

    let mut changes = ChangedSources::default();
    assert!(changes.is_empty());
    changes.partition(Partition::new(2, Collection::Learners));
    changes.partition(Partition::new(1, Collection::Parents));
    let decoded_cache = decoded_cache.after(&changes);
    assert_eq!(number(&decoded_cache, key(1, 0), learners, 3), 1);

    changes.partition(Partition::global(Collection::Schools));
    changes.school(2);
    assert_eq!(
        number(&decoded_cache.after(&changes), key(1, 0), learners, 4),
        1
    );

    changes.school(1);
    let next = decoded_cache.after(&changes);
    assert_eq!(number(&next, key(1, 0), learners, 4), 4);
    assert_eq!(number(&next, key(1, 1), Sources::INTEGRATORS, 8), 7);

    changes.integrator_row(None);
    let next = next.after(&changes);
    assert_eq!(number(&next, key(1, 1), Sources::INTEGRATORS, 9), 9);
    // The older snapshots still have their values.
    assert_eq!(number(&decoded_cache, key(1, 0), learners, 10), 1);
    assert_eq!(
        number(&decoded_cache, key(1, 1), Sources::INTEGRATORS, 10),
        7
    );
}

/// A change of data that all schools share invalidates a value that was made before it, however
/// many commits ago, but not one that was made after it.
#[test]
fn shared_sources_invalidate_earlier_values() {
    let sources = Sources::new(&[Collection::Genders, Collection::Learners]);
    let mut shared = ChangedSources::default();
    shared.partition(Partition::global(Collection::Genders));
    let mut others = ChangedSources::default();
    others.partition(Partition::global(Collection::Languages));
    let first = DecodedCache::new(1 << 20, 0);
    for school in 0..9 {
        assert_eq!(number(&first, key(school, 0), sources, 1), 1);
    }
    let same = first.after(&others).after(&ChangedSources::default());
    assert_eq!(number(&same, key(3, 0), sources, 2), 1);
    let changed = same.after(&shared);
    assert_eq!(number(&changed, key(3, 0), sources, 3), 3);
    let later = changed.after(&others);
    assert_eq!(number(&later, key(3, 0), sources, 4), 3);
    assert_eq!(number(&later, key(4, 0), sources, 5), 5);
    assert_eq!(number(&same, key(4, 0), sources, 6), 1);
}

/// A commit copies only the shards of the schools that it changed, however many values there are.
#[test]
fn values_of_other_schools_are_shared_by_snapshots() {
    let sources = Sources::new(&[Collection::Learners]);
    let decoded_cache = DecodedCache::new(1 << 24, 0);
    for school in 0..20_000 {
        number(&decoded_cache, key(school, 0), sources, 1);
    }
    let mut changes = ChangedSources::default();
    changes.partition(Partition::new(7, Collection::Learners));
    let next = decoded_cache.after(&changes);
    let (before, after) = (decoded_cache.read(), next.read());
    let shards = before.shards.iter().zip(&after.shards);
    let copied = shards.filter(|(before, after)| !Arc::ptr_eq(before, after));
    assert_eq!(copied.count(), 1);
}

#[test]
fn the_limit_applies_and_the_newest_value_is_retained() {
    let decoded_cache = DecodedCache::new(10_000, 0);
    for school in 0..1000 {
        let sources = Sources::new(&[Collection::Learners]);
        let fresh = u32::try_from(school).unwrap_or(0);
        number(&decoded_cache, key(school, 0), sources, fresh);
        assert_eq!(number(&decoded_cache, key(school, 0), sources, 5000), fresh);
        let bytes = decoded_cache.read().bytes;
        assert!(bytes <= 10_000, "{bytes}");
    }
}

/// The limit applies to a value that takes nearly all of it, or more than all.
#[test]
fn the_limit_applies_to_large_values() {
    let sources = Sources::new(&[Collection::Learners]);
    for large in [9000, 10_000, 1 << 40] {
        let decoded_cache = DecodedCache::new(10_000, 0);
        for school in 0..50 {
            let bytes = if school % 7 == 3 { large } else { 300 };
            let key = DecodedKey::new::<u64>(0, Partition::new(school, Collection::Learners));
            let value = decoded_cache.get(key, sources, || Ok((school, bytes)));
            assert_eq!(value.map(|value| *value), Ok(school));
            let entries = decoded_cache.read();
            let all = entries.shards.iter().flat_map(|shard| shard.values());
            let (bytes, counted) = (entries.bytes, all.map(|entry| entry.bytes).sum::<usize>());
            assert!(bytes <= 10_000 && bytes == counted, "{bytes} {counted}");
        }
    }
}
