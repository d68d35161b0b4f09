/**
 * The app's own file format: its JSON of chats under a file extension that the system opens with Portico.
 * `electron-builder.yml` registers the same extension and type. `.json` is no option, because it belongs to all
 * programs.
 */
export const chatsFile = { ending: 'portico', mediaType: 'application/vnd.portico.chats+json' } as const;
