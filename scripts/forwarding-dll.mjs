// Writes a Windows library without any code, whose only function is that of another library. It's written byte by byte,
// because few machines have a compiler for Windows (https://learn.microsoft.com/windows/win32/debug/pe-format).

const headersEnd = 0x200;
const sectionAt = 0x1000;

/**
 * @param {string} name of the library
 * @param {string} exported its function
 * @param {string} target library and function to call instead, such as "advapi32.SystemFunction036"
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
  // The processor (x64), the number of sections (1), and the flags of a 64-bit library.
  file.writeUInt16LE(0x8664, coff);
  file.writeUInt16LE(1, coff + 2);
  file.writeUInt16LE(240, coff + 16);
  file.writeUInt16LE(0x2022, coff + 18);
  // PE32+ format, preferred address, alignment, minimum Windows version, size in memory.
  file.writeUInt16LE(0x20b, optional);
  file.writeBigUInt64LE(0x1_8000_0000n, optional + 24);
  file.writeUInt32LE(0x1000, optional + 32);
  file.writeUInt32LE(0x200, optional + 36);
  file.writeUInt16LE(6, optional + 40);
  file.writeUInt16LE(6, optional + 48);
  file.writeUInt32LE(0x2000, optional + 56);
  file.writeUInt32LE(headersEnd, optional + 60);
  // The library can be loaded at any address and contains no executable data. Of the 16 directories only the
  // first exists, the exports.
  file.writeUInt16LE(2, optional + 68);
  file.writeUInt16LE(0x160, optional + 70);
  file.writeUInt32LE(16, optional + 108);
  file.writeUInt32LE(sectionAt, optional + 112);
  file.writeUInt32LE(headersEnd, optional + 116);
  // The section contains read-only data.
  file.write('.rdata', section, 'latin1');
  file.writeUInt32LE(headersEnd, section + 8);
  file.writeUInt32LE(sectionAt, section + 12);
  file.writeUInt32LE(headersEnd, section + 16);
  file.writeUInt32LE(headersEnd, section + 20);
  file.writeUInt32LE(0x4000_0040, section + 36);
}

/**
 * If the target is an address inside the export directory, Windows takes it as the name of
 * another function, not as code.
 */
function writeExport(file, name, exported, target) {
  const directory = headersEnd;
  const text = (words, offset) => {
    file.write(`${words}\0`, directory + offset, 'latin1');
    return sectionAt + offset;
  };
  file.writeUInt32LE(text(name, 0x80), directory + 12);
  for (const offset of [16, 20, 24]) file.writeUInt32LE(1, directory + offset);
  // The positions of the lists of functions, names and ordinals, each with one entry. The ordinal is 0.
  file.writeUInt32LE(sectionAt + 0x40, directory + 28);
  file.writeUInt32LE(sectionAt + 0x44, directory + 32);
  file.writeUInt32LE(sectionAt + 0x48, directory + 36);
  file.writeUInt32LE(text(target, 0x100), directory + 0x40);
  file.writeUInt32LE(text(exported, 0xc0), directory + 0x44);
}
