//! A hash that stays the same on every machine and in every version, for names and for what files hold.

/// Where an FNV-1a hash of 64 bits begins.
pub const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

/// An FNV-1a hash with more bytes: the standard library's hash may change with its version.
pub fn fnv(hash: u64, bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
