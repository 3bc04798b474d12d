// Archives in code: as they should be, and as they should not.
import zlib from 'node:zlib';

/// A member of a tar. `size` is what the header says of its bytes, which are `bytes` whatever it says.
export type Taped = { name: string; bytes?: Buffer; size?: number; kind?: string };

/// A header and the bytes of one member, as tar has them.
export function tarred({ name, bytes = Buffer.alloc(0), size = bytes.length, kind = '0' }: Taped): Buffer {
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

/// A whole tar; a name longer than its field goes before its member, as GNU tar writes it.
export function tar(members: Taped[]): Buffer {
  const parts = members.flatMap(member => {
    const name = Buffer.from(`${member.name}\0`);
    return name.length <= 100 ? [tarred(member)] : [tarred({ name: '././@LongLink', bytes: name, kind: 'L' }), tarred(member)];
  });
  return Buffer.concat([...parts, TAR_END]);
}

/// A member of a zip. One that is `encrypted` only says so: whoever respects it asks for the password first.
export type Zipped = { name: string; bytes?: Buffer; isEncrypted?: boolean };

const UTF8 = 1 << 11;
const ENCRYPTED = 1;
const DEFLATED = 8;
/// Nothing, deflated: made once, since a zip of very many empty files is packed often.
const NOTHING = zlib.deflateRawSync(Buffer.alloc(0));
/// So many members a zip can count in its old fields.
const OLD_COUNT = 0xffff;

export function zip(members: Zipped[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, bytes = Buffer.alloc(0), isEncrypted = false } of members) {
    const [path, packed] = [Buffer.from(name), bytes.length === 0 ? NOTHING : zlib.deflateRawSync(bytes)];
    // What the header beside the bytes and the directory have in common.
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

/// Where the directory lies, twice if its members cannot be counted in the old fields.
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
