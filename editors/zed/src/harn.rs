//! Starts `harnlite lsp`, which is looked for as commands are.

use zed_extension_api::{self as zed, Command, LanguageServerId, Result, Worktree};

struct Harn;

impl zed::Extension for Harn {
    fn new() -> Self {
        Harn
    }

    fn language_server_command(&mut self, _: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let command = worktree.which("harnlite").ok_or("harnlite is not on the PATH: pip install it first")?;
        Ok(Command { command, args: vec!["lsp".into()], env: worktree.shell_env() })
    }
}

zed::register_extension!(Harn);
