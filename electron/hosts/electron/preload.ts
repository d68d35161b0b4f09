import { ipcRenderer } from 'electron';

const origin = 'app://portico';

// The page requests its port, and the main process sends it. Nothing else may be added here.
window.addEventListener('message', (event) => {
  if (event.source === window && event.origin === origin && event.data === 'portico:ask')
    ipcRenderer.send('portico:ask');
});
ipcRenderer.on('portico:port', (event) => {
  window.postMessage('portico:port', origin, event.ports);
});
