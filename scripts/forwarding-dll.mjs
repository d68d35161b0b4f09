// A library of Windows without any code: its one function is another library's. Written byte by byte, because a compiler for
// Windows is on few machines (https://learn.microsoft.com/windows/win32/debug/pe-format).

const headersEnd = 0x200;
const sectionAt = 0x1000;

/**
 * @param {string} name of the library
 * @param {string} exported its function
 * @param {string} target library and function that is called in its place, as in "advapi32.SystemFunction036"
 */
export function forwardingDll(name, exported, target) {
  const file = Buffer.alloc(2 * headersEnd);
  writeHeaders(file);
  writeExport(file, name, exported, target);
  return file;
}

function writeHeaders(file) {
  const signature = 0x40;
  file.write('MZ', 0, 'latin1');
  file.writeUInt32LE(signature, 0x3c);
  file.write('PE\0\0', signature, 'latin1');
  const coff = signature + 4;
  const optional = coff + 20;
  const section = optional + 240;
  // x64, one section, a library that needs 64 bits.
  file.writeUInt16LE(0x8664, coff);
  file.writeUInt16LE(1, coff + 2);
  file.writeUInt16LE(240, coff + 16);
  file.writeUInt16LE(0x2022, coff + 18);
  // PE32+, where it would like to lie, how it is aligned, the Windows that it needs, its size in memory.
  file.writeUInt16LE(0x20b, optional);
  file.writeBigUInt64LE(0x1_8000_0000n, optional + 24);
  file.writeUInt32LE(0x1000, optional + 32);
  file.writeUInt32LE(0x200, optional + 36);
  file.writeUInt16LE(6, optional + 40);
  file.writeUInt16LE(6, optional + 48);
  file.writeUInt32LE(0x2000, optional + 56);
  file.writeUInt32LE(headersEnd, optional + 60);
  // May lie anywhere, holds nothing that can be run. Of the 16 directories only the first is there, the exports.
  file.writeUInt16LE(2, optional + 68);
  file.writeUInt16LE(0x160, optional + 70);
  file.writeUInt32LE(16, optional + 108);
  file.writeUInt32LE(sectionAt, optional + 112);
  file.writeUInt32LE(headersEnd, optional + 116);
  // The section: data that is only read.
  file.write('.rdata', section, 'latin1');
  file.writeUInt32LE(headersEnd, section + 8);
  file.writeUInt32LE(sectionAt, section + 12);
  file.writeUInt32LE(headersEnd, section + 16);
  file.writeUInt32LE(headersEnd, section + 20);
  file.writeUInt32LE(0x4000_0040, section + 36);
}

/** A target that lies within the directory of exports is the name of another function, not code. */
function writeExport(file, name, exported, target) {
  const directory = headersEnd;
  const text = (words, at) => {
    file.write(`${words}\0`, directory + at, 'latin1');
    return sectionAt + at;
  };
  file.writeUInt32LE(text(name, 0x80), directory + 12);
  for (const at of [16, 20, 24]) file.writeUInt32LE(1, directory + at);
  // Where the lists of functions, names and ordinals are, each of one entry. The ordinal is 0.
  file.writeUInt32LE(sectionAt + 0x40, directory + 28);
  file.writeUInt32LE(sectionAt + 0x44, directory + 32);
  file.writeUInt32LE(sectionAt + 0x48, directory + 36);
  file.writeUInt32LE(text(target, 0x100), directory + 0x40);
  file.writeUInt32LE(text(exported, 0xc0), directory + 0x44);
}
