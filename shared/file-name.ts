/** In UTF-16 units: with extension and `.part` it stays below the 255 bytes of file systems. */
const longest = 80;
/** Device names of Windows, with any extension. */
const devices = /^(?:con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³])(?=$|[. ])/i;
/**
 * Control and format characters (which can reverse or hide text), lone surrogates, and reserved characters of file
 * systems.
 */
const unfit = /[\p{C}\p{Zl}\p{Zp}<>:"/\\|?*]+/gu;

/** A base name valid on every file system: no path, no device, nothing invisible. */
export function fileName(name: string): string {
  const fit = name
    .replace(unfit, ' ')
    .replace(/^[. ]+/, '')
    .slice(0, longest);
  const whole = fit.replace(/[\ud800-\udbff]$/, '').replace(/[. ]+$/, '');
  return whole.replace(devices, '_$&') || 'chats';
}
