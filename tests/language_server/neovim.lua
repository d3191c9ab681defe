-- What a person does in Neovim: opens a file, looks at findings, asks, types, renames, formats. Writes what came as JSON.
local out = vim.env.HARNLITE_OUT
local seen = {}
-- It guards against hanging.
local LIMIT_MS = 60000

local function finish(problem)
  seen.problem = problem
  vim.fn.writefile({ vim.fn.json_encode(seen) }, out)
  vim.cmd("qall!")
end

local function wait(what, ready)
  if not vim.wait(LIMIT_MS, ready, 50) then
    finish("nothing came: " .. what)
  end
end

local function clients()
  return vim.lsp.get_clients and vim.lsp.get_clients() or vim.lsp.get_active_clients()
end

local function lines()
  return vim.api.nvim_buf_get_lines(0, 0, -1, true)
end

local function place(word, within)
  for number, line in ipairs(lines()) do
    local start = line:find(within or word, 1, true)
    if start then
      vim.api.nvim_win_set_cursor(0, { number, line:find(word, start, true) - 1 })
      return
    end
  end
  finish("no line has " .. word)
end

-- What both sides count columns in; newer versions agree on something else than UTF-16.
local function encoding()
  return clients()[1].offset_encoding
end

local function ask(method, more)
  local params = vim.lsp.util.make_position_params(0, encoding())
  params = vim.tbl_extend("force", params, more or {})
  local answers = vim.lsp.buf_request_sync(0, method, params, LIMIT_MS)
  for _, answer in pairs(answers or {}) do
    if answer.error then
      finish(method .. ": " .. vim.inspect(answer.error))
    end
    return answer.result
  end
  finish("no answer: " .. method)
end

local function messages()
  local found = {}
  for _, one in ipairs(vim.diagnostic.get(0)) do
    table.insert(found, { message = one.message, line = one.lnum + 1, column = one.col, severity = one.severity, code = one.code })
  end
  return found
end

local function main()
  vim.cmd("edit main.harn")
  seen.filetype = vim.bo.filetype
  wait("a server", function() return #clients() == 1 and clients()[1].server_capabilities ~= nil end)
  wait("findings", function() return #vim.diagnostic.get(0) > 0 end)
  seen.findings = messages()

  place("println")
  seen.hover = ask("textDocument/hover")

  place("greet(", "🙂")
  seen.definition = ask("textDocument/definition")
  local edit = ask("textDocument/rename", { newName = "welcome" })
  vim.lsp.util.apply_workspace_edit(edit, encoding())
  seen.renamed = lines()

  local last = #lines() - 1
  vim.api.nvim_buf_set_lines(0, last, last, true, { "  pri" })
  vim.api.nvim_win_set_cursor(0, { last + 1, 5 })
  seen.completion = ask("textDocument/completion", {
    position = { line = last, character = 5 },
  })
  vim.api.nvim_buf_set_lines(0, last, last + 1, true, {})

  if vim.lsp.buf.format then
    vim.lsp.buf.format({ timeout_ms = LIMIT_MS })
  else
    vim.lsp.buf.formatting_sync(nil, LIMIT_MS)
  end
  seen.formatted = lines()

  vim.api.nvim_buf_set_lines(0, 0, -1, true, { "let = 1" })
  wait("the syntax error", function()
    local found = vim.diagnostic.get(0)
    return #found > 0 and found[1].message:find("Expected", 1, true) ~= nil
  end)
  seen.broken = messages()
  for _, client in ipairs(clients()) do
    client.stop()
  end
  seen.ended = vim.wait(LIMIT_MS, function() return #clients() == 0 end, 50)
  finish()
end

local ok, problem = xpcall(main, debug.traceback)
if not ok then
  finish(problem)
end
