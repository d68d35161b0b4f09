/** Keys and their names differ on macOS; nothing else may depend on the platform. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
