package rollbook.v1

import kotlinx.serialization.KSerializer
import kotlinx.serialization.builtins.serializer
import kotlinx.serialization.encoding.Decoder
import kotlinx.serialization.encoding.Encoder

/** The encoding of an id, which is an unsigned integer. */
internal object UnsignedLong : KSerializer<Long> {
    override val descriptor = ULong.serializer().descriptor

    override fun serialize(encoder: Encoder, value: Long) =
        ULong.serializer().serialize(encoder, value.toULong())

    override fun deserialize(decoder: Decoder): Long =
        ULong.serializer().deserialize(decoder).toLong()
}
