/** Used for key names only. Nothing else may depend on the platform. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
