-- Starts the server for .harn files in Neovim 0.7 to 0.10; newer ones have vim.lsp.enable("harnlite").
if vim.lsp.config then
  return
end

local markers = { "harn.toml", "pyproject.toml", ".git" }
local clients = {} -- by root, for Neovim 0.7, which starts a client but does not look for one

local function root_of(path)
  local folder = vim.fn.fnamemodify(path, ":p:h")
  for _, marker in ipairs(markers) do
    local here = folder
    while true do
      if vim.fn.getftype(here .. "/" .. marker) ~= "" then
        return here
      end
      local above = vim.fn.fnamemodify(here, ":h")
      if above == here then
        break
      end
      here = above
    end
  end
  return folder
end

local function attach(args)
  local config = { name = "harnlite", cmd = { "harnlite", "lsp" }, root_dir = root_of(args.file) }
  if vim.lsp.start then
    vim.lsp.start(config)
    return
  end
  local client = clients[config.root_dir]
  if not client or vim.lsp.client_is_stopped(client) then
    client = vim.lsp.start_client(config)
    clients[config.root_dir] = client
  end
  vim.lsp.buf_attach_client(args.buf, client)
end

vim.api.nvim_create_autocmd("FileType", { pattern = "harn", callback = attach })
