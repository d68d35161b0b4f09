import './ui/styles/theme.css';
import { reconnectingLink } from './api/reconnecting-link.ts';
import { connectToCore } from './api/transport.ts';
import { openWindow } from './app/open-window.ts';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element with the id "root"');

// Connecting first removes the secret from the address before the address is read as a location.
const first = connectToCore();
let connections = 0;
const link = reconnectingLink(() => (connections++ === 0 ? first : connectToCore()));
void first.catch(() => undefined).then(() => openWindow(root, link));
