/** In UTF-16 units: with an ending and `.part` it stays below the 255 bytes that disks take. */
const longest = 80;
/** Windows takes these for devices, whatever ending follows. */
const devices = /^(?:con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³])(?=$|[. ])/i;
/** Control and format characters (which turn text around or hide it), half characters, and what file systems give a meaning. */
const unfit = /[\p{C}\p{Zl}\p{Zp}<>:"/\\|?*]+/gu;

/** A name that every file system takes, without an ending: no path, no device, and it reads as it is. */
export function fileName(name: string): string {
  const fit = name
    .replace(unfit, ' ')
    .replace(/^[. ]+/, '')
    .slice(0, longest);
  const whole = fit.replace(/[\ud800-\udbff]$/, '').replace(/[. ]+$/, '');
  return whole.replace(devices, '_$&') || 'chats';
}
