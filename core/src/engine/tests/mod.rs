//! Tests of the engine that need its internals.

mod coverage_refusals;
mod follower_convergence;
mod orphans;
