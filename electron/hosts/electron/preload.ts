import { ipcRenderer } from 'electron';

const origin = 'app://portico';

// The page asks for its port; the main process answers with one. Nothing else passes here, ever.
window.addEventListener('message', (event) => {
  if (event.source === window && event.origin === origin && event.data === 'portico:ask')
    ipcRenderer.send('portico:ask');
});
ipcRenderer.on('portico:port', (event) => {
  window.postMessage('portico:port', origin, event.ports);
});
