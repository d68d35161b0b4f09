/** For key names alone; nothing else may depend on the platform. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
