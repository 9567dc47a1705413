//! Passwords, which are stored as salted, slow hashes (section 5, "Passwords").

use crate::entropy::Entropy;
use crate::error::{Error, Failure, Result};
use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};

/// Limits for a hash that a dataset contains, so that the check of a password cannot exhaust
/// the device.
const MAX_MEMORY_KIB: u32 = 64 * 1024;
const MAX_PASSES: u32 = 10;
const MAX_LANES: u32 = 4;

/// The parameters of Argon2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cost {
    memory_kib: u32,
    passes: u32,
    lanes: u32,
}

impl Cost {
    /// The cost of hashes that are created here: 8 MiB and three passes, which take about 20 ms
    /// on a desktop, and no more memory than an old phone has.
    pub(crate) const OWN: Cost = Cost {
        memory_kib: 8 * 1024,
        passes: 3,
        lanes: 1,
    };

    /// Returns the cost of a hash, or `None` if the text is not a valid hash.
    pub(crate) fn parse(hash: &str) -> Option<Cost> {
        let (params, ..) = parts(hash).ok()?;
        Some(Cost {
            memory_kib: params.m_cost(),
            passes: params.t_cost(),
            lanes: params.p_cost(),
        })
    }

    /// Returns the number of blocks of memory that are filled, over all passes.
    fn work(self) -> u64 {
        u64::from(self.memory_kib) * u64::from(self.passes)
    }

    fn params(self) -> Option<Params> {
        Params::new(self.memory_kib, self.passes, self.lanes, None).ok()
    }
}

/// The distinct costs of the hashes in a store, the most expensive first. A wrong password is
/// hashed once with each of them, for every user name, so the time does not reveal whether a
/// user name exists.
#[derive(Debug, Clone, Default)]
pub(crate) struct Costs(Vec<Cost>);

/// The limit for the number of costs. Most stores have hashes of one cost or two. If there are
/// more, the cheapest are omitted, so that no dataset can make a wrong password more expensive
/// than a few hashes.
const MAX_COSTS: usize = 4;

impl Costs {
    /// Adds the cost of a hash.
    pub(crate) fn add(&mut self, hash: &str) {
        let Some(cost) = Cost::parse(hash).filter(|cost| !self.0.contains(cost)) else {
            return;
        };
        let index = self.0.partition_point(|other| other.work() >= cost.work());
        self.0.insert(index, cost);
        self.0.truncate(MAX_COSTS);
    }

    /// Returns all costs. If there are none, returns the cost of hashes that are created here.
    fn all(&self) -> &[Cost] {
        if self.0.is_empty() {
            &[Cost::OWN]
        } else {
            &self.0
        }
    }
}

/// The memory in which passwords are hashed. Dropping it returns the memory to the system.
#[derive(Default)]
pub(crate) struct Memory {
    blocks: Vec<Block>,
    /// The number of blocks that were filled.
    #[cfg(test)]
    pub(crate) filled: u64,
}

/// The smallest number of blocks that glibc allocates by mapping memory, and returns to the
/// system on release. Smaller allocations can remain in the arena of a thread, up to 32 MiB for
/// each. Reserved blocks that are not used take no memory.
#[cfg(all(target_env = "gnu", target_pointer_width = "64"))]
const MAPPED: usize = (32 << 20) / Block::SIZE + 1;
#[cfg(not(all(target_env = "gnu", target_pointer_width = "64")))]
const MAPPED: usize = 0;

/// Up to this number of blocks, the size of an allocation is not increased.
const SMALL: usize = 128;

impl Memory {
    /// Hashes a password with a new salt, and returns the hash as a PHC string.
    pub(crate) fn hash(&mut self, password: &str, entropy: &Entropy) -> Result<String> {
        self.hash_at(Cost::OWN, password, entropy)
    }

    fn hash_at(&mut self, cost: Cost, password: &str, entropy: &Entropy) -> Result<String> {
        let too_long = || Error::unsupported("hashing this password: it is too long");
        let salt: [u8; 16] = entropy.bytes()?;
        let params = cost.params().ok_or_else(too_long)?;
        let written = ParamsString::try_from(&params).ok();
        let output = self.fill(params, password, &salt, Params::DEFAULT_OUTPUT_LEN)?;
        let hash = PasswordHash {
            algorithm: Algorithm::Argon2id.ident(),
            version: Some(Version::V0x13.into()),
            params: written.ok_or_else(too_long)?,
            salt: Salt::new(&salt).ok(),
            hash: Some(output.ok_or_else(too_long)?),
        };
        Ok(hash.to_string())
    }

    /// Returns true if a password has this hash. The comparison takes constant time.
    pub(crate) fn verify(&mut self, password: &str, hash: &str) -> Result<bool> {
        let Ok((params, salt, expected)) = parts(hash) else {
            return Ok(false);
        };
        let output = self.fill(params, password, &salt, expected.len())?;
        Ok(output == Some(expected))
    }

    /// Returns true if the password matches the hash of the user, which is `None` for an
    /// unknown user. The check of a wrong password takes the same time for every user name.
    pub(crate) fn log_in(
        &mut self,
        password: &str,
        hash: Option<&str>,
        costs: &Costs,
    ) -> Result<bool> {
        let own = hash.and_then(Cost::parse);
        let most = costs.all().iter().copied().chain(own);
        // The same amount is reserved for every user, because allocation takes time too.
        self.reserve(most.map(|cost| cost.memory_kib as usize).max().unwrap_or(0))?;
        if let Some(hash) = hash
            && self.verify(password, hash)?
        {
            return Ok(true);
        }
        let others = costs.all().iter().filter(|cost| own != Some(**cost));
        for params in others.filter_map(|cost| cost.params()) {
            self.fill(params, password, NO_SALT, Params::DEFAULT_OUTPUT_LEN)?;
        }
        Ok(false)
    }

    /// Hashes a password. Returns `None` if the password or the salt is too long.
    fn fill(
        &mut self,
        params: Params,
        password: &str,
        salt: &[u8],
        length: usize,
    ) -> Result<Option<Output>> {
        let count = params.block_count();
        #[cfg(test)]
        {
            self.filled += count as u64 * u64::from(params.t_cost());
        }
        self.reserve(count)?;
        if self.blocks.len() < count {
            self.blocks.resize(count, Block::new());
        }
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let mut out = [0; Output::MAX_LENGTH];
        let Some(out) = out.get_mut(..length) else {
            return Ok(None);
        };
        let hashed =
            argon2.hash_password_into_with_memory(password.as_bytes(), salt, out, &mut self.blocks);
        Ok(hashed.ok().and_then(|()| Output::new(out).ok()))
    }

    /// Reserves memory for this number of blocks, without using it.
    fn reserve(&mut self, count: usize) -> Result<()> {
        if self.blocks.capacity() >= count {
            return Ok(());
        }
        self.blocks = Vec::new();
        let capacity = if count > SMALL {
            count.max(MAPPED)
        } else {
            count
        };
        let reserved = self.blocks.try_reserve_exact(capacity);
        reserved.map_err(|_| {
            Failure::from(Error::Busy {
                what: "there is no memory to hash a password in".to_owned(),
            })
        })
    }
}

/// The salt for hashing a password when there is no hash to compare with.
const NO_SALT: &[u8] = b"rollbook-nobody!";

/// Checks that a hash is Argon2id within the limits. On failure, returns a message.
pub(crate) fn check(hash: &str) -> Result<(), String> {
    let refused = |why| format!("is not an Argon2id hash within bounds: {why}");
    parts(hash).map(drop).map_err(refused)
}

/// Splits a hash into its parameters, salt and output. The limits are also checked here, so
/// that a damaged hash cannot exhaust the device.
fn parts(hash: &str) -> Result<(Params, Salt, Output), &'static str> {
    let parsed = PasswordHash::new(hash).map_err(|_| "not a PHC string")?;
    if parsed.algorithm.as_str() != "argon2id" || parsed.version != Some(19) {
        return Err("give $argon2id$v=19$...");
    }
    let params = Params::try_from(&parsed).map_err(|_| "parameters")?;
    if params.m_cost() > MAX_MEMORY_KIB
        || params.t_cost() > MAX_PASSES
        || params.p_cost() > MAX_LANES
    {
        return Err("at most m=65536, t=10, p=4");
    }
    match (parsed.salt, parsed.hash) {
        (Some(salt), Some(hash)) => Ok((params, salt, hash)),
        _ => Err("salt and hash are needed"),
    }
}

#[cfg(test)]
mod tests {
    use crate::record::values::password::*;

    /// Returns a cheap, a usual and an expensive hash of the password `demo`.
    fn hashes() -> Result<[String; 3]> {
        let mut memory = Memory::default();
        let cost = |memory_kib, passes, lanes| Cost {
            memory_kib,
            passes,
            lanes,
        };
        let mut made = |cost: Cost| {
            let hash = memory.hash_at(cost, "demo", &Entropy::System)?;
            Ok::<_, Failure>(hash)
        };
        Ok([
            made(cost(8, 1, 1))?,
            made(Cost::OWN)?,
            made(cost(9_000, 5, 4))?,
        ])
    }

    #[test]
    fn a_hash_matches_only_its_password_and_has_its_own_salt() -> Result<()> {
        let entropy = Entropy::System;
        let mut memory = Memory::default();
        let (one, two) = (
            memory.hash("demo", &entropy)?,
            memory.hash("demo", &entropy)?,
        );
        assert!(one != two && memory.verify("demo", &one)? && memory.verify("demo", &two)?);
        assert!(!memory.verify("Demo", &one)? && !memory.verify("", &one)?);
        assert!(!memory.verify("demo", "demo")?);
        assert!(one.starts_with("$argon2id$v=19$m=8192,t=3,p=1$"));
        assert_eq!(check(&one), Ok(()));
        Ok(())
    }

    #[test]
    fn hashes_of_other_libraries_match_after_any_other_hash() -> Result<()> {
        // These hashes were created by the reference implementation of Argon2.
        let others = [
            "$argon2id$v=19$m=19456,t=2,p=1$cm9sbGJvb2stY29ycHVzMQ$7JF7oNAZY/ZZTuUTS2Av5XKJTbNBFuPiL7Ww7OoqfcY",
            "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
            "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc",
        ];
        let mut memory = Memory::default();
        let mut fits = Vec::new();
        for hash in others.iter().chain(others.iter().rev()) {
            fits.push(memory.verify("password", hash)?);
        }
        assert_eq!(fits, [false, true, true, true, true, false]);
        Ok(())
    }

    #[test]
    fn a_wrong_password_costs_the_same_for_every_name() -> Result<()> {
        let hashes = hashes()?;
        let spent = |hash: Option<&str>, costs: &Costs, password: &str| {
            let mut memory = Memory::default();
            let fits = memory.log_in(password, hash, costs)?;
            Ok::<_, Failure>((fits, memory.filled, memory.blocks.capacity()))
        };
        // The store has hashes of one cost, or of all costs.
        let mut all = Costs::default();
        for hash in &hashes {
            let mut alone = Costs::default();
            alone.add(hash);
            all.add(hash);
            let (fits, filled, capacity) = spent(None, &alone, "dem")?;
            assert!(!fits && filled > 0);
            assert_eq!(spent(Some(hash), &alone, "dem")?, (false, filled, capacity));
            assert_eq!(spent(Some(hash), &alone, "demo")?, (true, filled, capacity));
        }
        let (fits, filled, capacity) = spent(None, &all, "demo")?;
        assert_eq!((fits, filled), (false, 8 + 3 * 8192 + 5 * 8992));
        for hash in &hashes {
            assert_eq!(spent(Some(hash), &all, "dem")?, (false, filled, capacity));
        }
        // An empty store has no user names, and a damaged hash belongs to no user.
        let none = Costs::default();
        assert_eq!(spent(None, &none, "demo")?.1, 3 * 8192);
        assert_eq!(spent(Some("demo"), &none, "demo")?.1, 3 * 8192);
        Ok(())
    }

    #[test]
    fn the_cost_of_a_wrong_password_is_limited() {
        let mut costs = Costs::default();
        for passes in (1..=10).chain(1..=10) {
            for memory in [65_536, 8, 4_096] {
                costs.add(&format!(
                    "$argon2id$v=19$m={memory},t={passes},p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
                ));
            }
        }
        let work: Vec<_> = costs.all().iter().map(|cost| cost.work()).collect();
        assert_eq!(work, [655_360, 589_824, 524_288, 458_752]);
    }

    #[test]
    fn hashes_out_of_bounds_are_refused() -> Result<()> {
        let mut memory = Memory::default();
        let good = memory.hash("demo", &Entropy::System)?;
        for (from, to) in [
            ("m=8192", "m=65537"),
            ("m=8192", "m=4294967295"),
            ("t=3", "t=11"),
            ("t=3", "t=4294967295"),
            ("p=1", "p=5"),
            ("argon2id", "argon2i"),
            ("v=19", "v=16"),
            ("$argon2id", "argon2id"),
            ("m=8192", "m=1"),
        ] {
            let bad = good.replace(from, to);
            assert!(check(&bad).is_err(), "{bad}");
            // A stored hash like this one is damaged.
            let before = memory.filled;
            assert!(!memory.verify("demo", &bad)?);
            assert_eq!(memory.filled, before);
        }
        assert!(check("").is_err() && check("demo").is_err());
        Ok(())
    }
}
