// Builds archives in code, valid and invalid ones.
import zlib from 'node:zlib';

/// A member of a tar. `size` is the size in its header, which may differ from that of `bytes`.
export type TarMember = { name: string; bytes?: Buffer; size?: number; kind?: string };

/// The header and bytes of one member.
export function tarMember({ name, bytes = Buffer.alloc(0), size = bytes.length, kind = '0' }: TarMember): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write('0000644\0', 100);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write(kind, 156);
  header.write('ustar\0' + '00', 257);
  header.fill(' ', 148, 156);
  header.write(`${header.reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, bytes, Buffer.alloc((512 - bytes.length % 512) % 512)]);
}

export const TAR_END = Buffer.alloc(1024);

/// A whole tar. A name longer than its header field is written as GNU tar does, in a member before it.
export function tar(members: TarMember[]): Buffer {
  const parts = members.flatMap(member => {
    const name = Buffer.from(`${member.name}\0`);
    return name.length <= 100 ? [tarMember(member)] : [tarMember({ name: '././@LongLink', bytes: name, kind: 'L' }), tarMember(member)];
  });
  return Buffer.concat([...parts, TAR_END]);
}

/// A member of a zip. `isEncrypted` only sets the flag; the bytes are not encrypted.
export type ZipMember = { name: string; bytes?: Buffer; isEncrypted?: boolean };

const UTF8 = 1 << 11;
const ENCRYPTED = 1;
const DEFLATED = 8;
/// An empty file, deflated: computed once, since some zips contain very many of them.
const EMPTY_DEFLATED = zlib.deflateRawSync(Buffer.alloc(0));
/// The largest number of members that the fields of the original format can hold.
const OLD_COUNT = 0xffff;

export function zip(members: ZipMember[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, bytes = Buffer.alloc(0), isEncrypted = false } of members) {
    const [path, packed] = [Buffer.from(name), bytes.length === 0 ? EMPTY_DEFLATED : zlib.deflateRawSync(bytes)];
    // The fields that the local header and the directory have in common.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(UTF8 | (isEncrypted ? ENCRYPTED : 0), 2);
    common.writeUInt16LE(DEFLATED, 4);
    common.writeUInt32LE(zlib.crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(path.length, 22);
    parts.push(Buffer.from('PK\x03\x04'), common, path, packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), common, rest, path);
    at += 4 + common.length + path.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  return Buffer.concat([...parts, listed, zipEnd(members.length, at, listed.length)]);
}

/// The end of the directory; in zip64 form too if the original fields cannot hold the count.
function zipEnd(count: number, at: number, size: number): Buffer {
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(Math.min(count, OLD_COUNT), 8);
  end.writeUInt16LE(Math.min(count, OLD_COUNT), 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(at, 16);
  if (count < OLD_COUNT) return end;
  const large = Buffer.alloc(56 + 20);
  large.write('PK\x06\x06', 'latin1');
  large.writeBigUInt64LE(44n, 4);
  large.writeUInt16LE(45, 12);
  large.writeUInt16LE(45, 14);
  large.writeBigUInt64LE(BigInt(count), 24);
  large.writeBigUInt64LE(BigInt(count), 32);
  large.writeBigUInt64LE(BigInt(size), 40);
  large.writeBigUInt64LE(BigInt(at), 48);
  large.write('PK\x06\x07', 56, 'latin1');
  large.writeBigUInt64LE(BigInt(at + size), 64);
  large.writeUInt32LE(1, 72);
  return Buffer.concat([large, end]);
}
