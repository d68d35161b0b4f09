import { ipcRenderer } from 'electron';

const origin = 'app://portico';

// The page requests its port, the main process sends it and also names actions chosen in a menu. Nothing else may be
// added here.
window.addEventListener('message', (event) => {
  if (event.source === window && event.origin === origin && event.data === 'portico:ask')
    ipcRenderer.send('portico:ask');
});
ipcRenderer.on('portico:port', (event) => {
  window.postMessage('portico:port', origin, event.ports);
});
ipcRenderer.on('portico:action', (_event, action: unknown) => {
  window.postMessage({ portico: 'action', action }, origin);
});
