/**
 * The app’s own files: its JSON of chats, under an ending that the system opens with Portico. `electron-builder.yml` claims the same
 * ending and type; `.json` belongs to all programs.
 */
export const chatsFile = { ending: 'portico', mediaType: 'application/vnd.portico.chats+json' } as const;
