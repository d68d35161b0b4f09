/** In UTF-16 units. With extension and `.part`, the name stays below the 255 bytes that file systems allow. */
const longest = 80;
/** Device names of Windows, which are reserved with any extension. */
const devices = /^(?:con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³])(?=$|[. ])/i;
/**
 * Control and format characters (which can reverse or hide text), lone surrogates, and characters that file systems
 * reserve.
 */
const unfit = /[\p{C}\p{Zl}\p{Zp}<>:"/\\|?*]+/gu;

/** Returns a base name that is valid on every file system: no path, no device name and nothing invisible. */
export function fileName(name: string): string {
  const fit = name
    .replace(unfit, ' ')
    .replace(/^[. ]+/, '')
    .slice(0, longest);
  const trimmed = fit.replace(/[\ud800-\udbff]$/, '').replace(/[. ]+$/, '');
  return trimmed.replace(devices, '_$&') || 'chats';
}
