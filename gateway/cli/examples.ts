/** What one would type, by command. */
export const examples: Readonly<Record<string, readonly string[]>> = {
  serve: ['gateway serve --port 8788 --db gateway.db', 'gateway serve --db postgres://user@db.example/portico'],
  'account create': ['gateway account create --name "My team" --plan pro'],
  'account list': ['gateway account list --json'],
  'credit grant': ['gateway credit grant $ACCOUNT 20', 'gateway credit grant $ACCOUNT 5 --id gift-2026-11'],
  'key create': ['KEY=$(gateway key create $ACCOUNT --label laptop | tail -1)'],
  'key list': ['gateway key list $ACCOUNT'],
  'key revoke': ['gateway key revoke key_01JD…'],
  'user create': ['USER_ID=$(gateway user create $ACCOUNT --name "Ada" | tail -1)'],
  'user list': ['gateway user list $ACCOUNT'],
  'user disable': ['gateway user disable $USER_ID'],
  'user enable': ['gateway user enable $USER_ID'],
  'token issue': ['TOKEN=$(gateway token issue --sub $USER_ID --scope chat,models --ttl 15m | tail -1)'],
  'token revoke': [
    'gateway token revoke tok_01JD…      # one token',
    'gateway token revoke $USER_ID       # all of a user',
    'gateway token revoke $ACCOUNT       # all of an account',
  ],
  'token rotate': ['gateway token rotate', 'gateway token rotate --at-once      # the key has leaked'],
  'ledger verify': ['gateway ledger verify --db gateway.db && echo exact'],
  'plan list': ['gateway plan list'],
  'prices list': ['gateway prices list --provider anthropic'],
};
