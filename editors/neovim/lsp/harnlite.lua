-- The server for Neovim 0.11 and newer: vim.lsp.enable("harnlite") starts it for .harn files.
return {
  cmd = { "harnlite", "lsp" },
  filetypes = { "harn" },
  root_markers = { "harn.toml", "pyproject.toml", ".git" },
}
