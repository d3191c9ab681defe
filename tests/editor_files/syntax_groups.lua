-- Writes the name of the syntax group at each place that is asked for, file by file.
local request = vim.fn.json_decode(table.concat(vim.fn.readfile(vim.env.HARNLITE_PLACES), "\n"))
vim.opt.runtimepath:append(vim.env.HARNLITE_ROOT .. "/editors/vim")
vim.cmd("syntax on | filetype plugin indent on")
vim.o.redrawtime = 20000
local answer = {}
for _, file in ipairs(request) do
  vim.cmd("silent edit! " .. vim.fn.fnameescape(file.path))
  local groups = {}
  for _, place in ipairs(file.places) do
    table.insert(groups, vim.fn.synIDattr(vim.fn.synID(place[1], place[2], 1), "name"))
  end
  table.insert(answer, groups)
end
vim.fn.writefile({ vim.fn.json_encode(answer) }, vim.env.HARNLITE_OUT)
vim.cmd("qall!")
