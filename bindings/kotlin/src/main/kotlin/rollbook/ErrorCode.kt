@file:JvmName("ErrorCode")

package rollbook

/** The stable code of the error, which is the same in the packages for all languages. */
val RollbookException.code: String
    @JvmName("of")
    get() =
        when (this) {
            is RollbookException.BadDataset -> "bad_dataset"
            is RollbookException.AlreadyOpen -> "already_open"
            is RollbookException.Busy -> "busy"
            is RollbookException.ReaderEnded -> "reader_ended"
            is RollbookException.Suspended -> "suspended"
            is RollbookException.Closed -> "closed"
            is RollbookException.Corrupt -> "corrupt"
            is RollbookException.Io -> "io"
            is RollbookException.NotAStore -> "not_a_store"
            is RollbookException.Missing -> "missing"
            is RollbookException.NewerFormat -> "newer_format"
            is RollbookException.Exists -> "exists"
            is RollbookException.Cancelled -> "cancelled"
            is RollbookException.IdReused -> "id_reused"
            is RollbookException.NotSynced -> "not_synced"
            is RollbookException.Synced -> "synced"
            is RollbookException.ResyncRequired -> "resync_required"
            is RollbookException.OutOfSync -> "out_of_sync"
            is RollbookException.Diverged -> "diverged"
            is RollbookException.Unsupported -> "unsupported"
            is RollbookException.BadArgument -> "bad_argument"
            is RollbookException.ListenerFailed -> "listener_failed"
        }
